import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/quota": "own-organization",
  "GET /orgs/{org}/quota/artifacts": "own-organization",
  "GET /orgs/{org}/quota/attachments": "own-organization",
  "GET /orgs/{org}/quota/check": "own-organization",
  "GET /orgs/{org}/quota/history": "own-organization",
  "GET /orgs/{org}/quota/packages": "own-organization",
};
