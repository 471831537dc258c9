import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/followers": "see-owner signed-in",
};
