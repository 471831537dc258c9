import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/settings": "self",
  "PATCH /user/settings": "self",
};
