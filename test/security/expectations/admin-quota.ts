import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/quota/rules": "administer-site",
  "POST /admin/quota/rules": "administer-site",
  "GET /admin/quota/rules/{quotarule}": "administer-site",
  "PATCH /admin/quota/rules/{quotarule}": "administer-site",
  "DELETE /admin/quota/rules/{quotarule}": "administer-site",
  "GET /admin/quota/groups": "administer-site",
  "POST /admin/quota/groups": "administer-site",
  "GET /admin/quota/groups/{quotagroup}": "administer-site",
  "DELETE /admin/quota/groups/{quotagroup}": "administer-site",
  "PUT /admin/quota/groups/{quotagroup}/rules/{quotarule}": "administer-site",
  "DELETE /admin/quota/groups/{quotagroup}/rules/{quotarule}": "administer-site",
  "GET /admin/quota/groups/{quotagroup}/users": "administer-site",
  "PUT /admin/quota/groups/{quotagroup}/users/{username}": "administer-site",
  "DELETE /admin/quota/groups/{quotagroup}/users/{username}": "administer-site",
};
