import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "PUT /orgs/{org}/block/{username}": "own-organization",
};
