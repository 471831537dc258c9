import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/stopwatches": "self",
};
