import { and, eq, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { label } from "../../../db/schema/issues.ts";
import { outbox } from "../../../db/schema/outbox.ts";
import { commitStatus } from "../../../db/schema/statuses.ts";
import type { LabelRow } from "../../work/issues/queries.ts";
import type { StatusRow } from "../../repos/statuses/queries.ts";

export async function findLabelRow(db: Reader, id: number): Promise<LabelRow | null> {
  const [row] = await db.select().from(label).where(eq(label.id, id));
  return row ?? null;
}

export async function findStatusRow(db: Reader, id: number): Promise<StatusRow | null> {
  const [row] = await db.select().from(commitStatus).where(eq(commitStatus.id, id));
  return row ?? null;
}

/**
 * What something was when it was deleted, as `keepLast` made it: things are deleted before everybody has heard of what happened to them
 * before. null when nothing is known of it any more; the outbox keeps that for a while.
 */
export async function findLast(
  db: Reader,
  repositoryId: number,
  noun: "repository" | "issue" | "comment" | "release",
  id: number,
): Promise<unknown> {
  const [row] = await db
    .select({ last: sql`${outbox.payload} -> 'last'` })
    .from(outbox)
    .where(
      and(
        eq(outbox.repositoryId, repositoryId),
        eq(outbox.kind, `${noun}.deleted`),
        sql`(${outbox.payload} -> ${noun}::text ->> 'id')::bigint = ${id}`,
      ),
    )
    .limit(1);
  return row?.last ?? null;
}
