import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  // The template is only read; where the repository goes, the body says (test/api/repos/generate.test.ts).
  "POST /repos/{owner}/{repo}/generate": { may: "read code signed-in", onArchived: "works" },
};
