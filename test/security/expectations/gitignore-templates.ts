import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /gitignore/templates": "anyone",
  "GET /gitignore/templates/{name}": "anyone",
};
