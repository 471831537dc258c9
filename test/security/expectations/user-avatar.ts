import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /user/avatar": "self",
  "DELETE /user/avatar": "self",
};
