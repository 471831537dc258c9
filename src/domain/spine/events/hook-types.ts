import type { ScopeCategory } from "../../../auth/scopes.ts";

/** The types of events of webhooks, in the order in which they are shown, with the scope that reads the same by the API. */
export const scopeOfHookEvent = {
  create: "repository",
  delete: "repository",
  fork: "repository",
  push: "repository",
  issues: "issue",
  issue_assign: "issue",
  issue_label: "issue",
  issue_milestone: "issue",
  issue_comment: "issue",
  pull_request: "repository",
  pull_request_assign: "repository",
  pull_request_label: "repository",
  pull_request_milestone: "repository",
  pull_request_comment: "repository",
  pull_request_review_approved: "repository",
  pull_request_review_rejected: "repository",
  pull_request_review_comment: "repository",
  pull_request_sync: "repository",
  pull_request_review_request: "repository",
  wiki: "repository",
  repository: "repository",
  release: "repository",
  package: "package",
  status: "repository",
} as const satisfies Record<string, ScopeCategory>;

export type HookEventType = keyof typeof scopeOfHookEvent;
