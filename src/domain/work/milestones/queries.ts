import { and, asc, count, desc, eq, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { milestone } from "../../../db/schema/issues.ts";
import type { MilestoneRow } from "../issues/queries.ts";

/** The columns that a new or changed milestone is given by its use case. */
export type MilestoneColumns = Pick<MilestoneRow, "title" | "description" | "dueAt" | "closedAt">;

interface Slice {
  size: number;
  offset: number;
}

export interface MilestoneFilter {
  state: "open" | "closed" | "all";
  /** A part of the title; empty: any. */
  name: string;
}

/** A page of a repository's milestones: those that are due first come first, those that are never due last. */
export async function listMilestones(
  db: Reader,
  repositoryId: number,
  { state, name }: MilestoneFilter,
  { size, offset }: Slice,
): Promise<{ rows: MilestoneRow[]; total: number }> {
  const where = and(
    eq(milestone.repositoryId, repositoryId),
    state === "all" ? undefined : state === "open" ? isNull(milestone.closedAt) : isNotNull(milestone.closedAt),
    name === "" ? undefined : sql`strpos(lower(${milestone.title}), lower(${name})) > 0`,
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select()
      .from(milestone)
      .where(where)
      .orderBy(sql`${milestone.dueAt} asc nulls last`, asc(milestone.id))
      .limit(size)
      .offset(offset),
    db.select({ value: count() }).from(milestone).where(where),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

const openMilestones = preparedByShape((db: Reader) =>
  db
    .select()
    .from(milestone)
    .where(and(eq(milestone.repositoryId, sql.placeholder("repositoryId")), isNull(milestone.closedAt)))
    .orderBy(sql`${milestone.dueAt} asc nulls last`, asc(milestone.id))
    .limit(sql.placeholder("most"))
    .prepare("open_milestones"),
);

/** The open milestones of a repository in the order of `listMilestones`, the first `most` of them. */
export async function listOpenMilestones(db: Reader, repositoryId: number, most: number): Promise<MilestoneRow[]> {
  return openMilestones(db, null).execute({ repositoryId, most });
}

/** The milestone of an id, or else of a title: first in the same letters, then in any case, then the oldest. */
function named(repositoryId: number, idOrTitle: string): { where: SQL | undefined; order: SQL[] } {
  const id = /^[1-9]\d{0,15}$/.test(idOrTitle) ? Number(idOrTitle) : null;
  const byTitle = sql`lower(${milestone.title}) = lower(${idOrTitle})`;
  return {
    where: and(eq(milestone.repositoryId, repositoryId), id === null ? byTitle : or(eq(milestone.id, id), byTitle)),
    order: [
      ...(id === null ? [] : [desc(sql`(${milestone.id} = ${id})`)]),
      desc(sql`(${milestone.title} = ${idOrTitle})`),
      asc(milestone.id),
    ],
  };
}

export async function findMilestoneNamed(
  db: Reader,
  repositoryId: number,
  idOrTitle: string,
): Promise<MilestoneRow | null> {
  const { where, order } = named(repositoryId, idOrTitle);
  const [row] = await db
    .select()
    .from(milestone)
    .where(where)
    .orderBy(...order)
    .limit(1);
  return row ?? null;
}

/** Finds a milestone by its id or title, and locks its row until this transaction ends. */
export async function lockMilestone(
  tx: Transaction,
  repositoryId: number,
  idOrTitle: string,
): Promise<MilestoneRow | null> {
  const found = await findMilestoneNamed(tx, repositoryId, idOrTitle);
  if (found === null) {
    return null;
  }
  const [row] = await tx.select().from(milestone).where(eq(milestone.id, found.id)).for("no key update");
  return row ?? null;
}

export async function insertMilestone(
  tx: Transaction,
  repositoryId: number,
  columns: MilestoneColumns,
): Promise<MilestoneRow> {
  const [row] = await tx
    .insert(milestone)
    .values({ ...columns, repositoryId })
    .returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

export async function updateMilestone(
  tx: Transaction,
  id: number,
  columns: Partial<MilestoneColumns>,
): Promise<MilestoneRow> {
  const [row] = await tx
    .update(milestone)
    .set({ ...columns, updatedAt: sql`now()` })
    .where(eq(milestone.id, id))
    .returning();
  if (row === undefined) {
    throw new Error("A locked milestone was gone");
  }
  return row;
}

/** Deletes a milestone; its issues have none afterwards. */
export async function deleteMilestoneRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(milestone).where(eq(milestone.id, id));
}
