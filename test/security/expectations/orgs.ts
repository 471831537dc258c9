import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs": "anyone",
  "POST /orgs": "self",
  "GET /orgs/{org}": "see-owner",
  "PATCH /orgs/{org}": "own-organization",
  "DELETE /orgs/{org}": "own-organization",
};
