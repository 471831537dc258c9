import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/contents-ext": "read code",
  "GET /repos/{owner}/{repo}/contents-ext/{filepath}": "read code",
};
