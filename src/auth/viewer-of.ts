import { sql } from "drizzle-orm";
import type { ViewerSql } from "./access-sql.ts";
import type { Actor, Credential } from "./subject.ts";

/** Who requests a list, and with which credential. The credential's limits apply to the list. */
export interface Viewer {
  actor: Actor | null;
  credential: Credential;
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
