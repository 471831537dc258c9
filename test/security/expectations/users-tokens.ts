import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /users/{username}/tokens": "tokens",
  "POST /users/{username}/tokens": "tokens",
  "DELETE /users/{username}/tokens/{token}": "tokens",
};
