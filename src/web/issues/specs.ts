import type { PageSpec } from "../pages.ts";

/** Reads issues or pull requests: for labels, milestones and histories, which both have. */
export const readsIssues = {
  may: { on: "repository", do: "read", unit: "issues-or-pulls" },
} as const satisfies PageSpec;
/** Writes in issues or pull requests, as everybody who is signed in may. */
export const participatesInIssues = {
  may: { on: "repository", do: "participate", unit: "issues-or-pulls" },
  signedIn: true,
} as const satisfies PageSpec;
export const writesIssues = {
  may: { on: "repository", do: "write", unit: "issues-or-pulls" },
  signedIn: true,
} as const satisfies PageSpec;
export const administersIssues = {
  may: { on: "repository", do: "admin", unit: "issues-or-pulls" },
  signedIn: true,
} as const satisfies PageSpec;
