import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "PUT /user/unblock/{username}": "self",
};
