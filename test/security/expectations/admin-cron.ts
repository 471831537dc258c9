import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/cron": "administer-site",
  "POST /admin/cron/{task}": "administer-site",
};
