import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/labels": "see-owner",
  "POST /orgs/{org}/labels": "own-organization",
  "GET /orgs/{org}/labels/{id}": "see-owner",
  "PATCH /orgs/{org}/labels/{id}": "own-organization",
  "DELETE /orgs/{org}/labels/{id}": "own-organization",
};
