import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /org/{org}/repos": "create-in-organization",
};
