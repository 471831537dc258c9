import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/repos": "see-owner",
  "POST /orgs/{org}/repos": "create-in-organization",
};
