import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/subscription": "read signed-in",
  // It is the caller's own bookmark.
  "PUT /repos/{owner}/{repo}/subscription": { may: "participate", onArchived: "works" },
  // It is the caller's own bookmark.
  "DELETE /repos/{owner}/{repo}/subscription": { may: "read signed-in", onArchived: "works" },
};
