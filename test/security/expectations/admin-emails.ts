import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/emails": "administer-site",
  "GET /admin/emails/search": "administer-site",
};
