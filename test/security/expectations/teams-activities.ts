import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /teams/{id}/activities/feeds": "see-team",
};
