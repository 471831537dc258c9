import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  // Nothing is written.
  "POST /repos/{owner}/{repo}/markup": { may: "read signed-in", onArchived: "works" },
};
