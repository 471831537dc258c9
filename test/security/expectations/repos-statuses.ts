import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/statuses/{sha}": "read code",
  "POST /repos/{owner}/{repo}/statuses/{sha}": "write code",
};
