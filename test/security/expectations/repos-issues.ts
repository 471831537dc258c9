import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/{owner}/{repo}/issues": "participate issues",
  "GET /repos/{owner}/{repo}/issues/{index}": "read issues-or-pulls",
};
