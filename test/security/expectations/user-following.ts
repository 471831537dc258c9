import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/following": "self",
  "GET /user/following/{username}": "see-owner signed-in",
  "PUT /user/following/{username}": "see-owner signed-in",
  "DELETE /user/following/{username}": "see-owner signed-in",
};
