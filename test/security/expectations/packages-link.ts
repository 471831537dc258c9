import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /packages/{owner}/{type}/{name}/-/link/{repo_name}": "write-packages",
};
