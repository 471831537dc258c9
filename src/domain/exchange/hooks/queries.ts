import { and, asc, count, eq, isNull, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { hook } from "../../../db/schema/hooks.ts";
import type { HookPlace } from "./hook-place.ts";

export type HookRow = typeof hook.$inferSelect;

/** The columns that a new or changed hook is given by its use case. */
export type HookColumns = Pick<
  HookRow,
  | "url"
  | "contentType"
  | "options"
  | "events"
  | "branchFilter"
  | "active"
  | "secret"
  | "authorization"
  | "authorizationShown"
>;
export type NewHookColumns = HookColumns & Pick<HookRow, "kind" | "sealId" | "system">;

function inPlace(place: HookPlace): SQL | undefined {
  switch (place.on) {
    case "repository":
      return eq(hook.repositoryId, place.repository.id);
    case "owner":
      return eq(hook.ownerId, place.owner.id);
    case "instance":
      return and(isNull(hook.repositoryId), isNull(hook.ownerId));
  }
}

/** A page of the hooks of a place, the oldest first, and how many there are. */
export async function listHooks(
  db: Reader,
  place: HookPlace,
  page: { size: number; offset: number },
): Promise<{ rows: HookRow[]; total: number }> {
  const [rows, total] = await Promise.all([
    db.select().from(hook).where(inPlace(place)).orderBy(asc(hook.id)).limit(page.size).offset(page.offset),
    countHooks(db, place),
  ]);
  return { rows, total };
}

export async function countHooks(db: Reader, place: HookPlace): Promise<number> {
  const [row] = await db.select({ value: count() }).from(hook).where(inPlace(place));
  return row?.value ?? 0;
}

/** A hook of a place; null when it has none of the id. */
export async function findHook(db: Reader, place: HookPlace, id: number): Promise<HookRow | null> {
  const [row] = await db
    .select()
    .from(hook)
    .where(and(eq(hook.id, id), inPlace(place)));
  return row ?? null;
}

/** Finds a hook, and locks its row until this transaction ends. */
export async function lockHook(tx: Transaction, place: HookPlace, id: number): Promise<HookRow | null> {
  const [row] = await tx
    .select()
    .from(hook)
    .where(and(eq(hook.id, id), inPlace(place)))
    .for("no key update");
  return row ?? null;
}

export async function insertHook(tx: Transaction, place: HookPlace, columns: NewHookColumns): Promise<HookRow> {
  const [row] = await tx
    .insert(hook)
    .values({
      ...columns,
      repositoryId: place.on === "repository" ? place.repository.id : null,
      ownerId: place.on === "owner" ? place.owner.id : null,
    })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

export async function updateHook(
  tx: Transaction,
  id: number,
  columns: Partial<HookColumns & Pick<HookRow, "failingSince" | "pausedAt" | "nextAt">>,
): Promise<HookRow> {
  const [row] = await tx
    .update(hook)
    .set({ ...columns, updatedAt: new Date() })
    .where(eq(hook.id, id))
    .returning();
  if (row === undefined) {
    throw new Error("A locked hook was gone");
  }
  return row;
}

/** Shows nobody the Authorization headers any more that the hooks of a repository have. */
export async function hideHeadersOf(tx: Transaction, repositoryId: number): Promise<void> {
  await tx.update(hook).set({ authorizationShown: false }).where(eq(hook.repositoryId, repositoryId));
}

/** Deletes a hook with the history of its deliveries. */
export async function deleteHookRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(hook).where(eq(hook.id, id));
}

/** The hooks that new repositories get. */
export async function listDefaultHooks(db: Reader): Promise<HookRow[]> {
  return db
    .select()
    .from(hook)
    .where(and(isNull(hook.repositoryId), isNull(hook.ownerId), eq(hook.system, false)))
    .orderBy(asc(hook.id));
}

export async function listHooksOf(db: Reader, repositoryId: number): Promise<HookRow[]> {
  return db.select().from(hook).where(eq(hook.repositoryId, repositoryId)).orderBy(asc(hook.id));
}

/** Copies hooks as those of a repository; returns their ids. What is sealed stays sealed: it is bound to `sealId`, which goes along. */
export async function copyHooksInto(
  tx: Transaction,
  rows: readonly HookRow[],
  repositoryId: number,
): Promise<number[]> {
  if (rows.length === 0) {
    return [];
  }
  const copies = await tx
    .insert(hook)
    .values(
      rows.map((row) => ({
        repositoryId,
        kind: row.kind,
        url: row.url,
        contentType: row.contentType,
        options: row.options,
        events: row.events,
        branchFilter: row.branchFilter,
        active: row.active,
        sealId: row.sealId,
        secret: row.secret,
        authorization: row.authorization,
      })),
    )
    .returning({ id: hook.id });
  return copies.map(({ id }) => id);
}
