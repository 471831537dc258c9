import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/notifications": "read signed-in",
  // They are the caller's own.
  "PUT /repos/{owner}/{repo}/notifications": { may: "read signed-in", onArchived: "works" },
};
