import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /orgs/{org}/avatar": "own-organization",
  "DELETE /orgs/{org}/avatar": "own-organization",
};
