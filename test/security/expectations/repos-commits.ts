import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/commits": "read code",
  "GET /repos/{owner}/{repo}/commits/{ref}/pull": "read code",
  "GET /repos/{owner}/{repo}/commits/{ref}/status": "read code",
  "GET /repos/{owner}/{repo}/commits/{ref}/statuses": "read code",
};
