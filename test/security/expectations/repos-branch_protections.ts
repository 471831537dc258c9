import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/branch_protections": "admin",
  "POST /repos/{owner}/{repo}/branch_protections": "admin",
  "POST /repos/{owner}/{repo}/branch_protections/priority": "admin",
  "GET /repos/{owner}/{repo}/branch_protections/{name}": "admin",
  "PATCH /repos/{owner}/{repo}/branch_protections/{name}": "admin",
  "DELETE /repos/{owner}/{repo}/branch_protections/{name}": "admin",
};
