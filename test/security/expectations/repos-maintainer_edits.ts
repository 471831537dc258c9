import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/maintainer_edits": "write code",
  "DELETE /repos/{owner}/{repo}/maintainer_edits/{id}": "write code",
};
