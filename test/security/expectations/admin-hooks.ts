import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/hooks": "administer-site",
  "POST /admin/hooks": "administer-site",
  "GET /admin/hooks/{id}": "administer-site",
  "PATCH /admin/hooks/{id}": "administer-site",
  "DELETE /admin/hooks/{id}": "administer-site",
  "GET /admin/hooks/{id}/deliveries": "administer-site",
  "GET /admin/hooks/{id}/deliveries/{delivery_id}": "administer-site",
  "POST /admin/hooks/{id}/deliveries/{delivery_id}/attempts": "administer-site",
};
