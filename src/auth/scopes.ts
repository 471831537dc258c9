import { StithyError } from "../lib/errors.ts";

/** The scopes that were asked for cannot be given. */
export class InvalidScope extends StithyError {
  constructor(message: string) {
    super("invalid", "invalid-scope", message, { field: "scopes" });
  }
}

export const scopeCategories = [
  "activitypub",
  "admin",
  "issue",
  "misc",
  "notification",
  "organization",
  "package",
  "repository",
  "user",
] as const;
export type ScopeCategory = (typeof scopeCategories)[number];
export type ScopeLevel = "read" | "write";

/** The permissions of a token. A session or a password has all permissions of its user. */
export interface ScopeSet {
  readonly levels: ReadonlyMap<ScopeCategory, ScopeLevel>;
  /** The token sees and touches public repositories and organizations only. */
  readonly publicOnly: boolean;
  /** The token sees and touches only the repositories that were named for it, and nothing but repositories. */
  readonly restricted: boolean;
}

const categories: ReadonlySet<string> = new Set(scopeCategories);

function isCategory(text: string): text is ScopeCategory {
  return categories.has(text);
}

/** Reads one scope; null when it is none. A delete level means write (specification, Authentication 3). */
function readScope(scope: string): { categories: readonly ScopeCategory[]; level: ScopeLevel } | "public-only" | null {
  if (scope === "all") {
    return { categories: scopeCategories, level: "write" };
  }
  if (scope === "public-only") {
    return "public-only";
  }
  const [level, category, ...rest] = scope.split(":");
  if (level === undefined || category === undefined || rest.length > 0 || !isCategory(category)) {
    return null;
  }
  return level === "read"
    ? { categories: [category], level }
    : level === "write" || level === "delete"
      ? { categories: [category], level: "write" }
      : null;
}

/**
 * Reads stored scopes. What is not a scope gives nothing: default deny. `isAdmin` false takes the category away that is
 * for site administrators only: the token's user may have been one when it was made.
 */
export function parseScopes(scopes: readonly string[], { isAdmin = true, restricted = false } = {}): ScopeSet {
  const levels = new Map<ScopeCategory, ScopeLevel>();
  let publicOnly = false;
  for (const scope of scopes) {
    const read = readScope(scope);
    if (read === "public-only") {
      publicOnly = true;
    } else if (read !== null) {
      for (const category of read.categories) {
        if (levels.get(category) !== "write") {
          levels.set(category, read.level);
        }
      }
    }
  }
  if (!isAdmin) {
    levels.delete("admin");
  }
  return { levels, publicOnly, restricted };
}

/**
 * Checks scopes that a caller asks for and gives them without duplicates.
 * Throws InvalidScope for none and for an unknown one, and for `admin` when the user is no site administrator.
 */
export function normalizeScopes(scopes: readonly string[], isAdmin: boolean): string[] {
  if (scopes.length === 0) {
    throw new InvalidScope("A token needs at least one scope");
  }
  for (const scope of scopes) {
    const read = readScope(scope);
    if (read === null) {
      throw new InvalidScope(`"${scope.slice(0, 100)}" is not a scope`);
    }
    if (!isAdmin && /^(read|write|delete):admin$/.test(scope)) {
      throw new InvalidScope(`The scope "${scope}" is only for site administrators`);
    }
  }
  return [...new Set(scopes.map((scope) => scope.replace(/^delete:/, "write:")))];
}

/** Whether the token has the category at that level; write includes read. */
export function hasScope(scopes: ScopeSet, category: ScopeCategory, level: ScopeLevel): boolean {
  const granted = scopes.levels.get(category);
  return granted === "write" || granted === level;
}
