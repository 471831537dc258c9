import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/topics": "read",
  "PUT /repos/{owner}/{repo}/topics": "admin",
  "PUT /repos/{owner}/{repo}/topics/{topic}": "admin",
  "DELETE /repos/{owner}/{repo}/topics/{topic}": "admin",
};
