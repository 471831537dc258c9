import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/runners/jobs": "administer-site",
};
