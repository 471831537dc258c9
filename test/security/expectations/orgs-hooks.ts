import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/hooks": "own-organization",
  "POST /orgs/{org}/hooks": "own-organization",
  "GET /orgs/{org}/hooks/{id}": "own-organization",
  "PATCH /orgs/{org}/hooks/{id}": "own-organization",
  "DELETE /orgs/{org}/hooks/{id}": "own-organization",
  "GET /orgs/{org}/hooks/{id}/deliveries": "own-organization",
  "GET /orgs/{org}/hooks/{id}/deliveries/{delivery_id}": "own-organization",
  "POST /orgs/{org}/hooks/{id}/deliveries/{delivery_id}/attempts": "own-organization",
};
