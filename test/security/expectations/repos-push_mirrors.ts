import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/push_mirrors": "admin",
  "POST /repos/{owner}/{repo}/push_mirrors": "admin",
  "GET /repos/{owner}/{repo}/push_mirrors/{name}": "admin",
  "DELETE /repos/{owner}/{repo}/push_mirrors/{name}": "admin",
};
