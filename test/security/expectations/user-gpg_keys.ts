import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/gpg_keys": "self",
  "POST /user/gpg_keys": "self",
  "GET /user/gpg_keys/{id}": "self",
  "DELETE /user/gpg_keys/{id}": "self",
};
