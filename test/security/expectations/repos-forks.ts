import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/forks": "read",
  "POST /repos/{owner}/{repo}/forks": { may: "participate code", onArchived: "works" },
};
