import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/labels": "read issues-or-pulls",
  "POST /repos/{owner}/{repo}/labels": "write issues-or-pulls",
  "GET /repos/{owner}/{repo}/labels/{id}": "read issues-or-pulls",
  "PATCH /repos/{owner}/{repo}/labels/{id}": "write issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/labels/{id}": "write issues-or-pulls",
};
