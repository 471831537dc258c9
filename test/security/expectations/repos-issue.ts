import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/issue/{index}/comments": "read issues-or-pulls",
  "POST /repos/{owner}/{repo}/issue/{index}/labels": "write issues-or-pulls",
  "PUT /repos/{owner}/{repo}/issue/{index}/labels": "write issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issue/{index}/labels": "write issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issue/{index}/labels/{id}": "write issues-or-pulls",
};
