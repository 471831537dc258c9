import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /packages/{owner}/{type}/{name}/{version}/files": "read-packages",
};
