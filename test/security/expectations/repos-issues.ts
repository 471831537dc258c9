import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/{owner}/{repo}/issues": "participate issues",
  "GET /repos/{owner}/{repo}/issues/{index}": "read issues-or-pulls",
  "PATCH /repos/{owner}/{repo}/issues/{index}": "participate issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issues/{index}": "admin",
  "POST /repos/{owner}/{repo}/issues/{index}/deadline": "participate issues-or-pulls",
  "PUT /repos/{owner}/{repo}/issues/{index}/lock": "participate issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issues/{index}/lock": "participate issues-or-pulls",
};
