import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/unadopted": "administer-site",
  "POST /admin/unadopted/{owner}/{repo}": "administer-site",
  "DELETE /admin/unadopted/{owner}/{repo}": "administer-site",
};
