import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/public_members": "see-owner",
  "GET /orgs/{org}/public_members/{username}": "see-owner",
  "PUT /orgs/{org}/public_members/{username}": "belong-to-organization oneself",
  "DELETE /orgs/{org}/public_members/{username}": "belong-to-organization oneself",
};
