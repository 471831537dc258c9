import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/blocks": "own-organization",
  "GET /orgs/{org}/blocks/{username}": "own-organization",
  "PUT /orgs/{org}/blocks/{username}": "own-organization",
  "DELETE /orgs/{org}/blocks/{username}": "own-organization",
};
