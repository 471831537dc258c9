import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issueSequence } from "../../../db/schema/issues.ts";
import { repositoryMigration } from "../../../db/schema/mirrors.ts";

export type MigrationRow = typeof repositoryMigration.$inferSelect;

const unfinished = inArray(repositoryMigration.state, ["waiting", "running"]);

export async function insertMigration(
  tx: Transaction,
  columns: Omit<typeof repositoryMigration.$inferInsert, "id">,
): Promise<number> {
  const [row] = await tx.insert(repositoryMigration).values(columns).returning({ id: repositoryMigration.id });
  return row?.id ?? 0;
}

export async function setMigrationCredentials(tx: Transaction, id: number, sealed: Uint8Array | null): Promise<void> {
  await tx.update(repositoryMigration).set({ sealedCredentials: sealed }).where(eq(repositoryMigration.id, id));
}

export async function findMigration(db: Reader, id: number): Promise<MigrationRow | null> {
  const [row] = await db.select().from(repositoryMigration).where(eq(repositoryMigration.id, id));
  return row ?? null;
}

/** Writes how far a migration is. Returns false for one that has ended, as when it was cancelled. */
export async function noteProgress(
  tx: Transaction,
  id: number,
  columns: { step: string; percentage: number },
): Promise<boolean> {
  const rows = await tx
    .update(repositoryMigration)
    .set({ ...columns, state: "running" })
    .where(and(eq(repositoryMigration.id, id), unfinished))
    .returning({ id: repositoryMigration.id });
  return rows.length === 1;
}

/** Writes how a migration ended, and forgets its credentials. Returns its row as it was; null for one that has ended before. */
export async function endMigration(
  tx: Transaction,
  id: number,
  columns: { state: "done" | "failed" | "cancelled"; error: string },
): Promise<MigrationRow | null> {
  const [row] = await tx
    .update(repositoryMigration)
    .set({
      ...columns,
      sealedCredentials: null,
      finishedAt: new Date(),
      ...(columns.state === "done" ? { percentage: 100 } : {}),
    })
    .where(and(eq(repositoryMigration.id, id), unfinished))
    .returning();
  return row ?? null;
}

/** The last number that an issue or a pull request of a repository got; 0: there was none. */
export async function findLastNumber(db: Reader, repositoryId: number): Promise<number> {
  const [row] = await db
    .select({ last: issueSequence.last })
    .from(issueSequence)
    .where(eq(issueSequence.repositoryId, repositoryId));
  return row?.last ?? 0;
}

const runningInto = preparedByShape((db: Reader) =>
  db
    .select()
    .from(repositoryMigration)
    .where(
      and(
        eq(repositoryMigration.repositoryId, sql.placeholder("repositoryId")),
        eq(repositoryMigration.actorId, sql.placeholder("actorId")),
        unfinished,
      ),
    )
    .prepare("running_migration"),
);

/** Returns the migration that runs into a repository, with its progress; null: none. */
export async function findRunningMigration(
  db: Reader,
  repositoryId: number,
  actorId: number,
): Promise<MigrationRow | null> {
  const [row] = await runningInto(db, null).execute({ repositoryId, actorId });
  return row ?? null;
}

/** A page of somebody's migrations, the newest first. */
export async function listMigrations(
  db: Reader,
  actorId: number,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: MigrationRow[]; total: number }> {
  const of = eq(repositoryMigration.actorId, actorId);
  const [rows, [counted]] = await Promise.all([
    db.select().from(repositoryMigration).where(of).orderBy(desc(repositoryMigration.id)).limit(size).offset(offset),
    db.select({ value: count() }).from(repositoryMigration).where(of),
  ]);
  return { rows, total: counted?.value ?? 0 };
}
