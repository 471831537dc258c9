import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repositories/{id}": "read signed-in",
};
