import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /teams/{id}/repos": "see-team",
  "GET /teams/{id}/repos/{org}/{repo}": "see-team",
  "PUT /teams/{id}/repos/{org}/{repo}": "see-team",
  "DELETE /teams/{id}/repos/{org}/{repo}": "see-team",
};
