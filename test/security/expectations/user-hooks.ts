import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/hooks": "self",
  "POST /user/hooks": "self",
  "GET /user/hooks/{id}": "self",
  "PATCH /user/hooks/{id}": "self",
  "DELETE /user/hooks/{id}": "self",
  "GET /user/hooks/{id}/deliveries": "self",
  "GET /user/hooks/{id}/deliveries/{delivery_id}": "self",
  "POST /user/hooks/{id}/deliveries/{delivery_id}/attempts": "self",
};
