import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/teams": "belong-to-organization",
  "POST /orgs/{org}/teams": "own-organization",
  "GET /orgs/{org}/teams/search": "belong-to-organization",
};
