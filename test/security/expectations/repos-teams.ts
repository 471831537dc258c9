import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/teams": "read signed-in",
  "GET /repos/{owner}/{repo}/teams/{team}": "read signed-in",
  // Access is no content of the repository, and must be taken away from archived ones, too.
  "PUT /repos/{owner}/{repo}/teams/{team}": { may: "owner", onArchived: "works" },
  // Access is no content of the repository, and must be taken away from archived ones, too.
  "DELETE /repos/{owner}/{repo}/teams/{team}": { may: "owner", onArchived: "works" },
};
