import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/keys": "self",
  "POST /user/keys": "self",
  "GET /user/keys/{id}": "self",
  "DELETE /user/keys/{id}": "self",
};
