import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/gpg_keys": "see-owner signed-in",
};
