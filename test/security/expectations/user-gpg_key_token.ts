import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/gpg_key_token": "self",
};
