import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/collaborators": "read signed-in",
  "GET /repos/{owner}/{repo}/collaborators/{collaborator}": "read signed-in",
  // Access is no content of the repository, and must be taken away from archived ones, too.
  "PUT /repos/{owner}/{repo}/collaborators/{collaborator}": { may: "admin", onArchived: "works" },
  // Access is no content of the repository, and must be taken away from archived ones, too.
  "DELETE /repos/{owner}/{repo}/collaborators/{collaborator}": { may: "admin", onArchived: "works" },
  "GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission": "admin",
};
