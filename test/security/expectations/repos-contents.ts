import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/contents": "read code",
  "POST /repos/{owner}/{repo}/contents": "write code",
  "GET /repos/{owner}/{repo}/contents/{filepath}": "read code",
  "POST /repos/{owner}/{repo}/contents/{filepath}": "write code",
  "PUT /repos/{owner}/{repo}/contents/{filepath}": "write code",
  "DELETE /repos/{owner}/{repo}/contents/{filepath}": "write code",
};
