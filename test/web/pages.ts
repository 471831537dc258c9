import type { Person } from "../support/web-content.ts";

/** A page that every-page.test.ts visits. */
export interface KnownPage {
  /** Who opens it; nobody: a visitor who is not signed in. */
  readonly as: Person | "nobody";
  readonly at: string;
  /** 200 if it is left out. */
  readonly status?: number;
}

/**
 * Every page, in the order of their addresses, with what test/support/web-content.ts has. `:head` is the last commit of forge/stithy.
 * A page that looks different to others has a line for each of them.
 */
export const knownPages: readonly KnownPage[] = [
  { as: "nobody", at: "/" },
  { as: "mara", at: "/" },
  { as: "nobody", at: "/explore/repos" },
  { as: "nobody", at: "/explore/repos?q=nothing-like-this" },
  { as: "mara", at: "/explore/repos?language=TypeScript&kind=sources&topic=git&sort=stars" },
  { as: "mara", at: "/explore/users" },
  { as: "nobody", at: "/explore/organizations?q=forge" },
  { as: "nobody", at: "/explore/topics" },
  { as: "nobody", at: "/forge" },
  { as: "nobody", at: "/forge/stithy" },
  { as: "mara", at: "/forge/stithy" },
  { as: "mara", at: "/forge/stithy/_edit/main/README.md" },
  { as: "mara", at: "/forge/stithy/_delete/main/src" },
  { as: "mara", at: "/forge/stithy/_diffpatch/main" },
  { as: "mara", at: "/forge/stithy/_upload/main/docs" },
  { as: "oskar", at: "/forge/stithy/_new/main/docs?filename=a.md&value=%23+A" },
  { as: "nobody", at: "/forge/stithy/blame/branch/main/src/main.ts" },
  { as: "nobody", at: "/forge/stithy/branches" },
  { as: "mara", at: "/forge/stithy/branches/lost" },
  { as: "mara", at: "/forge/stithy/branches/new" },
  { as: "mara", at: "/forge/stithy/branches/rename?branch=docs" },
  { as: "nobody", at: "/forge/stithy/commit/:head" },
  { as: "nobody", at: "/forge/stithy/commits/branch/main" },
  { as: "oskar", at: "/forge/stithy/fork" },
  { as: "nobody", at: "/forge/stithy/forks" },
  { as: "nobody", at: "/forge/stithy/find/branch/main" },
  { as: "nobody", at: "/forge/stithy/find/branch/main?q=mai" },
  { as: "nobody", at: "/forge/stithy/search" },
  { as: "nobody", at: "/forge/stithy/search?q=database" },
  { as: "nobody", at: "/forge/stithy/search?q=(&regex=1", status: 422 },
  { as: "nobody", at: "/forge/stithy/src/branch/main/src" },
  { as: "nobody", at: "/forge/stithy/src/branch/main/src/main.ts" },
  { as: "nobody", at: "/forge/stithy/src/branch/main/src/missing.ts", status: 404 },
  { as: "nobody", at: "/forge/stithy/src/branch/main/README.md" },
  { as: "nobody", at: "/forge/stithy/stars" },
  { as: "nobody", at: "/forge/stithy/src/branch/missing", status: 404 },
  { as: "nobody", at: "/forge/stithy/tags" },
  { as: "mara", at: "/forge/stithy/watchers" },
  { as: "mara", at: "/forge/stithy/tags/new" },
  { as: "nobody", at: "/forge/stithy/wiki" },
  { as: "nobody", at: "/forge/stithy/wiki/_pages" },
  { as: "mara", at: "/mara/empty" },
  { as: "nobody", at: "/mara/empty" },
  { as: "nobody", at: "/mara/secret", status: 404 },
  { as: "oskar", at: "/oskar/dotfiles" },
  { as: "oskar", at: "/oskar/stithy" },
  { as: "mara", at: "/repo/create" },
  { as: "mara", at: "/repo/create/forge" },
  { as: "nobody", at: "/user/forgot_password" },
  { as: "nobody", at: "/user/login" },
  { as: "mara", at: "/user/settings" },
  { as: "mara", at: "/user/settings/appearance" },
  { as: "mara", at: "/user/settings/applications" },
  { as: "mara", at: "/user/settings/change_password" },
  { as: "mara", at: "/user/settings/keys" },
  { as: "mara", at: "/user/settings/migrations" },
  { as: "mara", at: "/user/settings/notifications" },
  { as: "mara", at: "/user/settings/sessions" },
  { as: "mara", at: "/user/settings/tokens" },
  { as: "mara", at: "/user/settings/two_factor" },
];
