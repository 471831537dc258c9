import { sql } from "drizzle-orm";
import type { ViewerSql } from "./access-sql.ts";
import type { Actor } from "./subject.ts";

/** Who looks, for queries outside the one that finds the subject. */
export function viewerOf(actor: Actor | null): ViewerSql {
  return {
    id: sql`${actor?.id ?? null}::bigint`,
    isAdmin: sql`${actor?.isAdmin ?? false}::boolean`,
    restricted: sql`${actor?.restricted ?? false}::boolean`,
  };
}
