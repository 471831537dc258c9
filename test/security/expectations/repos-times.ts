import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/times": "read issues signed-in",
  "GET /repos/{owner}/{repo}/times/{user}": "read issues signed-in",
};
