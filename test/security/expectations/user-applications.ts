import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/applications/oauth2": "self",
  "POST /user/applications/oauth2": "self",
  "GET /user/applications/oauth2/{id}": "self",
  "PATCH /user/applications/oauth2/{id}": "self",
  "DELETE /user/applications/oauth2/{id}": "self",
};
