import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /packages/{owner}": "read-packages",
  "GET /packages/{owner}/{type}/{name}/{version}": "read-packages",
  "DELETE /packages/{owner}/{type}/{name}/{version}": "write-packages",
};
