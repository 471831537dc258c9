import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/repos": "self",
  "POST /user/repos": "self",
};
