import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/starred": "self",
  "GET /user/starred/{owner}/{repo}": "read signed-in",
  // It is the caller's own bookmark.
  "PUT /user/starred/{owner}/{repo}": { may: "participate", onArchived: "works" },
  // It is the caller's own bookmark.
  "DELETE /user/starred/{owner}/{repo}": { may: "read signed-in", onArchived: "works" },
};
