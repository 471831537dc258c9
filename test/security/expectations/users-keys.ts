import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/keys": "see-owner signed-in",
};
