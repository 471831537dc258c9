import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/starred": "see-owner signed-in",
};
