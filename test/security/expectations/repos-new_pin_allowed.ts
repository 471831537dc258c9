import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/new_pin_allowed": "read",
};
