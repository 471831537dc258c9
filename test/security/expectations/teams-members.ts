import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /teams/{id}/members": "see-team",
  "GET /teams/{id}/members/{username}": "see-team",
  "PUT /teams/{id}/members/{username}": "manage-team",
  "DELETE /teams/{id}/members/{username}": "manage-team",
};
