import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/issue_config": "read issues",
  "GET /repos/{owner}/{repo}/issue_config/validate": "read issues",
};
