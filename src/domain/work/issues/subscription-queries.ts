import { and, asc, count, eq, getTableColumns, sql } from "drizzle-orm";
import { ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issueSubscription } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";

/** A page of the users who subscribed to an issue, by name, as far as the viewer may know of them, and their number. */
export async function pageOfSubscribers(
  db: Reader,
  viewer: Viewer,
  issueId: number,
  slice: { size: number; offset: number },
): Promise<{ rows: OwnerRow[]; total: number }> {
  const condition = and(
    eq(issueSubscription.issueId, issueId),
    issueSubscription.watching,
    ownerVisibleSql(viewerOf(viewer)),
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select(getTableColumns(owner))
      .from(issueSubscription)
      .innerJoin(owner, eq(owner.id, issueSubscription.userId))
      .where(condition)
      .orderBy(asc(owner.lowerName))
      .limit(slice.size)
      .offset(slice.offset),
    db
      .select({ value: count() })
      .from(issueSubscription)
      .innerJoin(owner, eq(owner.id, issueSubscription.userId))
      .where(condition),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

const subscriptionOf = preparedByShape((db: Reader) =>
  db
    .select({ watching: issueSubscription.watching })
    .from(issueSubscription)
    .where(
      and(
        eq(issueSubscription.issueId, sql.placeholder("issueId")),
        eq(issueSubscription.userId, sql.placeholder("userId")),
      ),
    )
    .prepare("subscription_to_issue"),
);

/** Whether a user subscribed to an issue (true), wants to hear nothing of it (false), or said neither (null). */
export async function findSubscription(db: Reader, issueId: number, userId: number): Promise<boolean | null> {
  const [row] = await subscriptionOf(db, null).execute({ issueId, userId });
  return row?.watching ?? null;
}

export async function putSubscription(
  tx: Transaction,
  issueId: number,
  userId: number,
  watching: boolean,
): Promise<void> {
  await tx
    .insert(issueSubscription)
    .values({ issueId, userId, watching })
    .onConflictDoUpdate({ target: [issueSubscription.issueId, issueSubscription.userId], set: { watching } });
}

/** Returns whether the user had made a choice. */
export async function updateSubscription(
  tx: Transaction,
  issueId: number,
  userId: number,
  watching: boolean,
): Promise<boolean> {
  const rows = await tx
    .update(issueSubscription)
    .set({ watching })
    .where(and(eq(issueSubscription.issueId, issueId), eq(issueSubscription.userId, userId)))
    .returning({ issueId: issueSubscription.issueId });
  return rows.length > 0;
}
