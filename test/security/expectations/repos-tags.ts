import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/tags": "read code",
  "POST /repos/{owner}/{repo}/tags": "write code",
  "GET /repos/{owner}/{repo}/tags/{tag}": "read code",
  "DELETE /repos/{owner}/{repo}/tags/{tag}": "write code",
};
