import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/subscriptions": "see-owner signed-in",
};
