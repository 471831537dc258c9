import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /packages/{owner}/-/cleanup_rules": "own-organization",
  "GET /packages/{owner}/-/cleanup_rules/{type}": "own-organization",
  "PUT /packages/{owner}/-/cleanup_rules/{type}": "own-organization",
  "DELETE /packages/{owner}/-/cleanup_rules/{type}": "own-organization",
  "GET /packages/{owner}/-/cleanup_rules/{type}/preview": "own-organization",
};
