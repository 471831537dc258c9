import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /user/gpg_key_verify": "self",
};
