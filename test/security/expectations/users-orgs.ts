import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/orgs": "see-owner signed-in",
  "GET /users/{username}/orgs/{org}/permissions": "see-owner signed-in",
};
