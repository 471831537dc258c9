import { isPublicOnly, type NeededScopes } from "../../auth/authorize.ts";
import { hasScope, type ScopeCategory } from "../../auth/scopes.ts";
import type { Doer } from "./doer.ts";
import { Forbidden, ScopeMissing } from "./errors.ts";
import { opensOthers } from "./guard.ts";

/** The scope categories that a team opens to its members: repositories with their content, and packages. */
export const teamsOpen = ["repository", "package"] as const satisfies readonly ScopeCategory[];

/** The scope categories that an account opens, by its password or with the rights of a site administrator. */
export const accountOpens: readonly ScopeCategory[] = [
  "issue",
  "notification",
  "organization",
  "package",
  "repository",
  "user",
];

/**
 * The rule of `givesAccess` (`api/common/endpoint.ts`) for operations of which only some changes give access: giving access needs what it
 * opens. Throws ScopeMissing, and Forbidden for a token that sees public things only: what is public today may be private later.
 */
export function demandToOpen(doer: Doer, { categories, level }: NeededScopes): void {
  if (doer.kind !== "user" || doer.credential.kind !== "token") {
    return;
  }
  if (isPublicOnly(doer.credential)) {
    throw new Forbidden(opensOthers);
  }
  const { scopes } = doer.credential;
  const missing = categories.filter((category) => !hasScope(scopes, category, level));
  if (missing.length > 0) {
    throw new ScopeMissing(missing.map((category) => `${level}:${category}`).join(", "));
  }
}

/** Whether `demandToOpen` throws nothing. */
export function mayOpen(doer: Doer, { categories, level }: NeededScopes): boolean {
  if (doer.kind !== "user" || doer.credential.kind !== "token") {
    return true;
  }
  const { scopes } = doer.credential;
  return !isPublicOnly(doer.credential) && categories.every((category) => hasScope(scopes, category, level));
}
