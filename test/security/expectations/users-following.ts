import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/following": "see-owner signed-in",
  "GET /users/{username}/following/{target}": "see-owner signed-in",
};
