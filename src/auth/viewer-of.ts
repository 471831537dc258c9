import { sql } from "drizzle-orm";
import type { ViewerSql } from "./access-sql.ts";
import { hasScope, type ScopeCategory } from "./scopes.ts";
import type { Actor, Credential } from "./subject.ts";

/** The caller of a list, with their credential. The credential's limits apply to the list. */
export interface Viewer {
  actor: Actor | null;
  credential: Credential;
}

/** The limits of a credential against those of its user. */
export interface CredentialLimits {
  publicOnly: boolean;
  /** To single repositories. */
  restricted: boolean;
}

/** The limits of a credential: statements that are prepared differ by them. */
export function limitsOf(credential: Credential): CredentialLimits {
  const { publicOnly, restricted } =
    credential.kind === "token" ? credential.scopes : { publicOnly: false, restricted: false };
  return { publicOnly, restricted };
}

/** A viewer from whom no user is hidden. */
export const seesEverybody: Viewer = {
  actor: { id: 0, isAdmin: true, restricted: false } as Actor,
  credential: { kind: "none" },
};

/**
 * The viewer of a list that names things of another category than those of its scopes: a token without the scope that reads them is
 * shown public ones only.
 */
export function viewerIn(viewer: Viewer, category: ScopeCategory): ViewerSql {
  const { credential } = viewer;
  const isWithin = credential.kind !== "token" || hasScope(credential.scopes, category, "read");
  return isWithin ? viewerOf(viewer) : { ...viewerOf(viewer), publicOnly: sql<boolean>`true` };
}

/** The viewer in the terms of access-sql.ts, for queries outside the one that finds the subject. */
export function viewerOf({ actor, credential }: Viewer): ViewerSql {
  const token = credential.kind === "token" ? credential : null;
  return {
    id: sql`${actor?.id ?? null}::bigint`,
    isAdmin: sql`${actor?.isAdmin ?? false}::boolean`,
    restricted: sql`${actor?.restricted ?? false}::boolean`,
    ...(token?.scopes.publicOnly === true ? { publicOnly: sql<boolean>`true` } : {}),
    ...(token?.scopes.restricted === true ? { restrictedTokenId: sql`${token.tokenId}::bigint` } : {}),
  };
}
