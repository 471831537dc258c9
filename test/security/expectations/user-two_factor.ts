import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/two_factor": "self",
  "POST /user/two_factor": "self",
  "PUT /user/two_factor": "self",
  "DELETE /user/two_factor": "self",
  "POST /user/two_factor/recovery_codes": "self",
};
