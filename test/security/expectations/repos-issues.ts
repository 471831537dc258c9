import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/{owner}/{repo}/issues": "participate issues",
  "GET /repos/{owner}/{repo}/issues/{index}": "read issues-or-pulls",
  "PATCH /repos/{owner}/{repo}/issues/{index}": "participate issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issues/{index}": "admin",
  "POST /repos/{owner}/{repo}/issues/{index}/deadline": "participate issues-or-pulls",
  "PUT /repos/{owner}/{repo}/issues/{index}/lock": "participate issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issues/{index}/lock": "participate issues-or-pulls",
  "GET /repos/{owner}/{repo}/issues/comments": "read issues-or-pulls",
  "GET /repos/{owner}/{repo}/issues/comments/{id}": "read issues-or-pulls",
  "PATCH /repos/{owner}/{repo}/issues/comments/{id}": "participate issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issues/comments/{id}": "participate issues-or-pulls",
  "GET /repos/{owner}/{repo}/issues/{index}/comments": "read issues-or-pulls",
  "POST /repos/{owner}/{repo}/issues/{index}/comments": "participate issues-or-pulls",
  "PATCH /repos/{owner}/{repo}/issues/{index}/comments/{id}": "participate issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/issues/{index}/comments/{id}": "participate issues-or-pulls",
  "GET /repos/{owner}/{repo}/issues/{index}/timeline": "read issues-or-pulls",
};
