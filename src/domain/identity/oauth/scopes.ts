import { hasScope, normalizeScopes, parseScopes, scopeCategories } from "../../../auth/scopes.ts";
import { InvalidInput } from "../../../lib/errors.ts";

/** The scopes that an application can ask for. */
export const identityScopes = ["openid", "profile", "email", "groups", "offline_access"] as const;

const identity: ReadonlySet<string> = new Set(identityScopes);
const categories: ReadonlySet<string> = new Set(scopeCategories);

/**
 * The scopes that an application asks for, without duplicates. Who names none that is about the API gets what the
 * family gives: everything that the user may do; but with openid, which asks who somebody is, no more than reading the
 * own account. A category by itself, as tea asks for it, means to write. Throws InvalidInput for an unknown one.
 */
export function readRequestedScopes(text: string): string[] {
  const asked = [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ""))];
  if (asked.length > 50) {
    throw new InvalidInput("More than 50 scopes are asked for", "scope");
  }
  const who = asked.filter((scope) => identity.has(scope));
  const others = asked.filter((scope) => !identity.has(scope));
  const named = others.map((scope) => (categories.has(scope) ? `write:${scope}` : scope));
  const api = named.length === 0 ? [] : normalizeScopes(named, true);
  if (api.some((scope) => scope !== "public-only")) {
    return [...who, ...api];
  }
  return [...who, ...(who.includes("openid") ? ["read:user"] : ["all"]), ...api];
}

/** Whether a token with these scopes does no more than what was agreed to allows. */
export function isWithin(scopes: readonly string[], granted: readonly string[]): boolean {
  const [has, may] = [parseScopes(scopes), parseScopes(granted)];
  return (
    scopes.every((scope) => !identity.has(scope) || granted.includes(scope)) &&
    [...has.levels].every(([category, level]) => hasScope(may, category, level)) &&
    (!may.publicOnly || has.publicOnly)
  );
}

/** Whether somebody agreed to all of these before. */
export function areGranted(granted: readonly string[], asked: readonly string[]): boolean {
  // public-only takes away: what was agreed to with it is less than the same without.
  return (
    asked.every((scope) => granted.includes(scope)) &&
    (!granted.includes("public-only") || asked.includes("public-only"))
  );
}
