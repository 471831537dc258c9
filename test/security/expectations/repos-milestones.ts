import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/milestones": "read issues-or-pulls",
  "POST /repos/{owner}/{repo}/milestones": "write issues-or-pulls",
  "GET /repos/{owner}/{repo}/milestones/{id}": "read issues-or-pulls",
  "PATCH /repos/{owner}/{repo}/milestones/{id}": "write issues-or-pulls",
  "DELETE /repos/{owner}/{repo}/milestones/{id}": "write issues-or-pulls",
};
