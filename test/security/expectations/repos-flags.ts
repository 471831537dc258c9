import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/flags": "administer-site",
  "PUT /repos/{owner}/{repo}/flags": "administer-site",
  "DELETE /repos/{owner}/{repo}/flags": "administer-site",
  "GET /repos/{owner}/{repo}/flags/{flag}": "administer-site",
  "PUT /repos/{owner}/{repo}/flags/{flag}": "administer-site",
  "DELETE /repos/{owner}/{repo}/flags/{flag}": "administer-site",
};
