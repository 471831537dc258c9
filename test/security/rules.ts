import type { Class } from "./expectations.ts";
import type { Role, Visibility } from "./scene.ts";

/** What an operation answers: who is it, may the token, is it there, may they. */
export type Outcome = "allowed" | "sign-in" | "hidden" | "forbidden";

/** Whether a role may know of an organization of this visibility. */
function seesOrganization(role: Role, visibility: Visibility): boolean {
  switch (role) {
    case "owner":
    case "site-administrator":
    case "issue-reader":
      return true;
    case "kept-small":
      return false;
    case "nobody":
      return visibility === "public";
    default:
      return visibility !== "private";
  }
}

/** What role has which access to a repository, where it was given any: to everything, and to the code, what shows code, the releases and the wiki. */
const given: Partial<Record<Role, { any: number; code: number }>> = {
  reader: { any: 1, code: 1 },
  writer: { any: 2, code: 2 },
  administrator: { any: 3, code: 3 },
  "issue-reader": { any: 1, code: 0 },
  owner: { any: 4, code: 4 },
  "site-administrator": { any: 4, code: 4 },
};

const levels = { read: 1, participate: 1, write: 2, admin: 3, owner: 4 } as const;

/** What is expected of an operation on a repository. */
export function expectRepository(
  kind: Class,
  role: Role,
  target: { organization: Visibility; name: "open" | "secret" },
): Outcome {
  const [verb = "read", ...rest] = kind.split(" ");
  if (role === "nobody" && (rest.includes("signed-in") || verb !== "read")) {
    return "sign-in";
  }
  const open = target.name === "open" && seesOrganization(role, target.organization) ? 1 : 0;
  const access = given[role] ?? { any: 0, code: 0 };
  const mode = Math.max(
    ["code", "pulls", "code-of-pulls", "releases", "wiki"].some((unit) => rest.includes(unit))
      ? access.code
      : access.any,
    open,
  );
  if (mode === 0) {
    return "hidden";
  }
  if (verb === "participate") {
    return role === "blocked" ? "forbidden" : "allowed";
  }
  return mode >= levels[verb as keyof typeof levels] ? "allowed" : "forbidden";
}

/** What is expected of an operation on an organization. */
export function expectOrganization(kind: Class, role: Role, visibility: Visibility): Outcome {
  if (role === "nobody" && kind !== "see-owner" && kind !== "read-packages") {
    return "sign-in";
  }
  if (!seesOrganization(role, visibility)) {
    return "hidden";
  }
  if (kind === "see-owner" || kind === "see-owner signed-in" || role === "owner" || role === "site-administrator") {
    return "allowed";
  }
  if (kind === "read-packages" && visibility !== "private") {
    return "allowed";
  }
  return kind.startsWith("belong-to-organization") && role === "issue-reader" ? "allowed" : "forbidden";
}

/** What is expected of an operation on a team: whether it exists, only members of its organization know. */
export function expectTeam(kind: Class, role: Role): Outcome {
  if (role === "nobody") {
    return "sign-in";
  }
  if (role === "owner" || role === "site-administrator") {
    return "allowed";
  }
  return role === "issue-reader" ? (kind === "see-team" ? "allowed" : "forbidden") : "hidden";
}

/** What is expected of an operation on a user; `self` is that user. */
export function expectUser(kind: Class, role: Role | "self", visibility: Visibility): Outcome {
  if (role === "nobody" && kind !== "see-owner") {
    return "sign-in";
  }
  if (
    role !== "self" &&
    role !== "site-administrator" &&
    (role === "kept-small" || visibility === "private" || (visibility === "limited" && role === "nobody"))
  ) {
    return "hidden";
  }
  return kind === "tokens" && role !== "self" && role !== "site-administrator" ? "forbidden" : "allowed";
}

/** What is expected of an operation on nothing in particular. */
export function expectInstance(kind: Class, role: Role): Outcome {
  if (kind === "anyone") {
    return "allowed";
  }
  return role === "nobody"
    ? "sign-in"
    : kind === "administer-site" && role !== "site-administrator"
      ? "forbidden"
      : "allowed";
}
