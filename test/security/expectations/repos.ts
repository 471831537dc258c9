import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}": "read",
  // It unarchives the repository; it refuses every other change by itself (test/api/repos/edit.test.ts).
  "PATCH /repos/{owner}/{repo}": { may: "admin", onArchived: "works" },
  "DELETE /repos/{owner}/{repo}": { may: "owner", onArchived: "works" },
};
