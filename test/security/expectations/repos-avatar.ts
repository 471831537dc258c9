import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/avatar": "read",
  "POST /repos/{owner}/{repo}/avatar": "admin",
  "DELETE /repos/{owner}/{repo}/avatar": "admin",
};
