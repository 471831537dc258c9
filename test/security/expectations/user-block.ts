import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "PUT /user/block/{username}": "self",
};
