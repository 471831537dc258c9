import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/users": "administer-site",
  "POST /admin/users": "administer-site",
  "PATCH /admin/users/{username}": "administer-site",
  "DELETE /admin/users/{username}": "administer-site",
  "POST /admin/users/{username}/keys": "administer-site",
  "DELETE /admin/users/{username}/keys/{id}": "administer-site",
  "GET /admin/users/{username}/orgs": "administer-site",
  "POST /admin/users/{username}/orgs": "administer-site",
  "GET /admin/users/{username}/quota": "administer-site",
  "POST /admin/users/{username}/quota/groups": "administer-site",
  "POST /admin/users/{username}/rename": "administer-site",
  "POST /admin/users/{username}/repos": "administer-site",
  "DELETE /admin/users/{username}/two_factor": "administer-site",
};
