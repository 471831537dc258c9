import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/tag_protections": "admin",
  "POST /repos/{owner}/{repo}/tag_protections": "admin",
  "GET /repos/{owner}/{repo}/tag_protections/{id}": "admin",
  "PATCH /repos/{owner}/{repo}/tag_protections/{id}": "admin",
  "DELETE /repos/{owner}/{repo}/tag_protections/{id}": "admin",
};
