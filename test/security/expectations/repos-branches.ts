import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/branches": "read code",
  "POST /repos/{owner}/{repo}/branches": "write code",
  "GET /repos/{owner}/{repo}/branches/{branch}": "read code",
  "PUT /repos/{owner}/{repo}/branches/{branch}": "write code",
  "PATCH /repos/{owner}/{repo}/branches/{branch}": "write code",
  "DELETE /repos/{owner}/{repo}/branches/{branch}": "write code",
};
