import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/blocks": "self",
  "GET /user/blocks/{username}": "self",
  "PUT /user/blocks/{username}": "self",
  "DELETE /user/blocks/{username}": "self",
};
