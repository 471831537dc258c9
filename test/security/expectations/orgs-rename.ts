import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /orgs/{org}/rename": "own-organization",
};
