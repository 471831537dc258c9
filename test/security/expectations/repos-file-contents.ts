import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/file-contents": "read code",
  // It only reads.
  "POST /repos/{owner}/{repo}/file-contents": { may: "read code", onArchived: "works" },
};
