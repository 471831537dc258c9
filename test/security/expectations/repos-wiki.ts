import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "POST /repos/{owner}/{repo}/wiki/new": "write wiki",
  "GET /repos/{owner}/{repo}/wiki/page/{pageName}": "read wiki",
  "PATCH /repos/{owner}/{repo}/wiki/page/{pageName}": "write wiki",
  "DELETE /repos/{owner}/{repo}/wiki/page/{pageName}": "write wiki",
  "GET /repos/{owner}/{repo}/wiki/pages": "read wiki",
  "GET /repos/{owner}/{repo}/wiki/revisions/{pageName}": "read wiki",
};
