import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/emails": "self",
  "POST /user/emails": "self",
  "DELETE /user/emails": "self",
};
