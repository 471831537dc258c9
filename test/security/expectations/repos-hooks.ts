import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/hooks": "admin",
  // What hears of an archived repository can be made and taken away, as its keys can.
  "POST /repos/{owner}/{repo}/hooks": { may: "admin", onArchived: "works" },
  "GET /repos/{owner}/{repo}/hooks/{id}": "admin",
  "PATCH /repos/{owner}/{repo}/hooks/{id}": { may: "admin", onArchived: "works" },
  "DELETE /repos/{owner}/{repo}/hooks/{id}": { may: "admin", onArchived: "works" },
  "POST /repos/{owner}/{repo}/hooks/{id}/tests": { may: "admin", onArchived: "works" },
  "GET /repos/{owner}/{repo}/hooks/{id}/deliveries": "admin",
  "GET /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery_id}": "admin",
  "POST /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery_id}/attempts": { may: "admin", onArchived: "works" },
  // Those who may be told so hear that there are none.
  "GET /repos/{owner}/{repo}/hooks/git": { may: "admin", answers: "forbidden" },
  "GET /repos/{owner}/{repo}/hooks/git/{id}": { may: "admin", answers: "forbidden" },
  "PATCH /repos/{owner}/{repo}/hooks/git/{id}": { may: "admin", onArchived: "works", answers: "forbidden" },
  "DELETE /repos/{owner}/{repo}/hooks/git/{id}": { may: "admin", onArchived: "works", answers: "forbidden" },
};
