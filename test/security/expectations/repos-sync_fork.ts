import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/sync_fork": "read code",
  "POST /repos/{owner}/{repo}/sync_fork": "write code",
  "GET /repos/{owner}/{repo}/sync_fork/{branch}": "read code",
  "POST /repos/{owner}/{repo}/sync_fork/{branch}": "write code",
};
