import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/migrate": "self",
};
