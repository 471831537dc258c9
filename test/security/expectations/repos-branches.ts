import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/branches": "read code",
  "POST /repos/{owner}/{repo}/branches": "write code",
  "GET /repos/{owner}/{repo}/branches/{branch}": "read code",
  "PATCH /repos/{owner}/{repo}/branches/{branch}": "write code",
  "DELETE /repos/{owner}/{repo}/branches/{branch}": "write code",
};
