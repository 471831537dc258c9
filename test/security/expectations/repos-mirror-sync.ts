import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/{owner}/{repo}/mirror-sync": "write code",
};
