import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/members": "see-owner signed-in",
  "GET /orgs/{org}/members/{username}": "see-owner signed-in",
  "DELETE /orgs/{org}/members/{username}": "own-organization",
};
