import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/keys": "admin",
  // Access is no content of the repository, and must be taken away from archived ones, too.
  "POST /repos/{owner}/{repo}/keys": { may: "admin", onArchived: "works" },
  "GET /repos/{owner}/{repo}/keys/{id}": "admin",
  // Access is no content of the repository, and must be taken away from archived ones, too.
  "DELETE /repos/{owner}/{repo}/keys/{id}": { may: "admin", onArchived: "works" },
};
