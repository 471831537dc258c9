import { and, asc, count, desc, eq, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import { unitVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue, milestone } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { homesOfViewer } from "../issues/list-condition-queries.ts";
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

const issues = sql`(${milestone.openIssues} + ${milestone.closedIssues})`;
const done = sql`${milestone.closedIssues}::float8 / greatest(${issues}, 1)`;
const orders = {
  /** Those that are due first come first, those that are never due last. */
  due: [sql`${milestone.dueAt} asc nulls last`],
  "due-last": [sql`${milestone.dueAt} desc nulls last`],
  done: [sql`${done} desc`],
  "least-done": [sql`${done} asc`],
  most: [sql`${issues} desc`],
  fewest: [sql`${issues} asc`],
  name: [sql`lower(${milestone.title}) asc`],
} as const;
export type MilestoneOrder = keyof typeof orders;

const matching = ({ state, name }: MilestoneFilter) =>
  and(
    state === "all" ? undefined : state === "open" ? isNull(milestone.closedAt) : isNotNull(milestone.closedAt),
    name === "" ? undefined : sql`strpos(lower(${milestone.title}), lower(${name})) > 0`,
  );

/** A page of a repository's milestones. */
export async function listMilestones(
  db: Reader,
  repositoryId: number,
  filter: MilestoneFilter,
  { size, offset }: Slice,
  order: MilestoneOrder = "due",
): Promise<{ rows: MilestoneRow[]; total: number }> {
  const where = and(eq(milestone.repositoryId, repositoryId), matching(filter));
  const [rows, [counted]] = await Promise.all([
    db
      .select()
      .from(milestone)
      .where(where)
      .orderBy(...orders[order], asc(milestone.id))
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

/** A milestone with its repository. */
export interface PlacedMilestone {
  milestone: MilestoneRow;
  owner: { name: string };
  repository: { name: string };
}

/** A page of the milestones that the viewer sees in repositories of an owner, or in those that they own or were given. */
export async function listMilestonesOfMany(
  db: Reader,
  viewer: Viewer,
  { ownerId }: { ownerId: number | null },
  filter: MilestoneFilter,
  { size, offset }: Slice,
  order: MilestoneOrder,
): Promise<{ rows: PlacedMilestone[]; total: number }> {
  const viewing = viewerOf(viewer);
  const homes =
    ownerId === null ? homesOfViewer(viewing) : sql`select id from ${repository} where owner_id = ${ownerId}`;
  const where = and(
    sql`${milestone.repositoryId} = any(array(${homes}))`,
    matching(filter),
    or(unitVisibleSql(viewing, "issues"), unitVisibleSql(viewing, "pulls")),
  );
  const [rows, [counted]] = await Promise.all([
    db
      .select({ milestone, owner: { name: owner.name }, repository: { name: repository.name } })
      .from(milestone)
      .innerJoin(repository, eq(repository.id, milestone.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where)
      .orderBy(...orders[order], asc(milestone.id))
      .limit(size)
      .offset(offset),
    db
      .select({ value: count() })
      .from(milestone)
      .innerJoin(repository, eq(repository.id, milestone.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .where(where),
  ]);
  return { rows, total: counted?.value ?? 0 };
}

/** How many issues of a milestone there were at a time, and how many of them were closed. */
export interface MilestoneMoment {
  at: Date;
  all: number;
  closed: number;
}

/** The course of a milestone is divided into so many steps, and it is drawn of so many issues at most. */
const courseSteps = 60;
const mostDrawn = 20_000;

/**
 * The course of a milestone from its first issue until `until`, in steps of one length: of the issues that it has now, by when they were
 * opened, closed and reopened. null: it has none, or too many.
 */
export async function findCourse(
  db: Reader,
  { id, openIssues, closedIssues }: MilestoneRow,
  until: Date,
): Promise<MilestoneMoment[] | null> {
  const total = openIssues + closedIssues;
  if (total === 0 || total > mostDrawn) {
    return null;
  }
  const end = sql`${until.toISOString()}::timestamptz`;
  const steps = sql.raw(String(courseSteps));
  // One that was brought here closed has no entry of that. A merge closes without another entry.
  const rows = await db.execute<{ step: number; first: string; last: string; opened: string; closed: string }>(sql`
    with one as materialized (select ${issue.id} as id, ${issue.createdAt} as at, ${issue.closedAt} as closed_at
        from ${issue} where ${issue.milestoneId} = ${id}),
      turn as materialized (select ${comment.issueId} as id, ${comment.createdAt} as at, ${comment.kind} = 'reopen' as reopens,
          lag(${comment.kind} = 'reopen', 1, true) over (partition by ${comment.issueId} order by ${comment.createdAt}, ${comment.id}) as was_open
        from ${comment} where ${comment.issueId} in (select id from one) and ${comment.kind} in ('close', 'reopen', 'merge_pull')),
      change as (select at, 1 as opened, 0 as closed from one
        union all select at, 0, case when reopens then -1 else 1 end from turn where reopens <> was_open
        union all select closed_at, 0, 1 from one where closed_at is not null and not exists (select 1 from turn where turn.id = one.id)),
      span as (select min(at) as first, greatest(${end}, min(at) + interval '1 second') as last from change)
    select ceil(${steps} * extract(epoch from change.at - span.first) / extract(epoch from span.last - span.first))::integer as step,
      span.first, span.last, sum(change.opened) as opened, sum(change.closed) as closed
    from change, span where change.at <= span.last group by 1, 2, 3 order by 1`);
  const [some] = rows;
  if (some === undefined) {
    return null;
  }
  const [first, last] = [new Date(some.first).getTime(), new Date(some.last).getTime()];
  const byStep = new Map(rows.map((row) => [Number(row.step), row]));
  let [all, closed] = [0, 0];
  return Array.from({ length: courseSteps + 1 }, (_, step) => {
    const change = byStep.get(step);
    all += Number(change?.opened ?? 0);
    closed += Number(change?.closed ?? 0);
    return { at: new Date(first + ((last - first) * step) / courseSteps), all, closed };
  });
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
