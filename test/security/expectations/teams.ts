import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /teams/{id}": "see-team",
  "PATCH /teams/{id}": "manage-team",
  "DELETE /teams/{id}": "manage-team",
};
