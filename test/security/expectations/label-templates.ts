import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /label/templates": "anyone",
  "GET /label/templates/{name}": "anyone",
};
