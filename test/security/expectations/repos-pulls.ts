import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/pulls": "read pulls",
  "POST /repos/{owner}/{repo}/pulls": "participate pulls",
  "GET /repos/{owner}/{repo}/pulls/pinned": "read pulls",
  "GET /repos/{owner}/{repo}/pulls/{index}": "read pulls",
  "PATCH /repos/{owner}/{repo}/pulls/{index}": "participate pulls",
  "GET /repos/{owner}/{repo}/pulls/{index}/{head}": "read pulls",
};
