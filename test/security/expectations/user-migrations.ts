import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/migrations": "self",
  "GET /user/migrations/{id}": "self",
  "DELETE /user/migrations/{id}": "self",
};
