import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /admin/runners/jobs": "administer-site",
  "GET /admin/runners/registration-token": { may: "administer-site", answers: "forbidden" },
};
