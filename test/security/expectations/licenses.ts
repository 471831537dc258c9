import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /licenses": "anyone",
  "GET /licenses/{name}": "anyone",
};
