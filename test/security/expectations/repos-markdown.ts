import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  // Nothing is written.
  "POST /repos/{owner}/{repo}/markdown": { may: "read signed-in", onArchived: "works" },
  "POST /repos/{owner}/{repo}/markdown/raw": { may: "read signed-in", onArchived: "works" },
};
