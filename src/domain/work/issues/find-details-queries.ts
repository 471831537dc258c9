import { sql, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { limitsOf, type CredentialLimits, type Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { memoryOf, versionOf } from "../../../db/remembered-tables.ts";
import type { RowVersion } from "../../../db/remembered-rows.ts";
import { issueAssignee, issueLabel, label, milestone } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { attachment } from "../../../db/schema/releases.ts";
import { viewerValues } from "../../repos/list-queries.ts";
import { viewerSql } from "../../repos/list-sql-queries.ts";

type LabelRow = typeof label.$inferSelect;
type MilestoneRow = typeof milestone.$inferSelect;

/** Ids of what is shown around issues and comments; null stands for nothing. */
export interface Wanted {
  /** Issues whose labels, assignees, files and merges are wanted. */
  issueIds?: readonly number[];
  /** Comments whose files are wanted. */
  commentIds?: readonly number[];
  userIds?: readonly (number | null)[];
  labelIds?: readonly (number | null)[];
  milestoneIds?: readonly (number | null)[];
}

/** The details that were found, by id. */
export interface Details {
  /** The users of whom the viewer may know, assignees among them. */
  users: Map<number, OwnerRow>;
  labels: Map<number, LabelRow>;
  milestones: Map<number, MilestoneRow>;
  /** By the id of the issue: ids of labels by name, and of assignees of whom the viewer may know by name. */
  labelsOf: Map<number, number[]>;
  assigneesOf: Map<number, number[]>;
  /** By the id of a pull request: when it was merged. */
  mergedAtOf: Map<number, Date | null>;
  issuesHaveFiles: boolean;
  commentsHaveFiles: boolean;
}

type Pair = readonly [issueId: number, id: number];

const ids = (name: keyof Wanted): SQL => sql`${sql.placeholder(name)}::bigint[]`;

function jsonOf<Value>(items: SQL, from: SQL): SQL<Value[]> {
  return sql<Value[]>`(select coalesce(json_agg(${items}), '[]') from ${from})`;
}

const detailsBy = preparedByShape((db: Database, limits: CredentialLimits) => {
  const known = ownerVisibleSql(viewerSql(limits));
  const rowsIn = (table: PgTable & { id: PgColumn }, wanted: SQL, { condition = sql`true`, order = sql`` } = {}) =>
    jsonOf<RowVersion>(
      sql`json_build_array(${table.id}, ${versionOf(table)}) ${order}`,
      sql`${table} where ${table.id} = any(${wanted}) and ${condition}`,
    );
  const pairsIn = (table: SQL) => jsonOf<Pair>(sql`json_build_array(issue_id, id)`, table);
  // Rows that many issues share are read once: the labels and the assignees of all of them are few.
  const found = sql`with
    labelled as materialized (select ${issueLabel.issueId} as issue_id, ${issueLabel.labelId} as id
      from ${issueLabel} where ${issueLabel.issueId} = any(${ids("issueIds")})),
    assigned as materialized (select ${issueAssignee.issueId} as issue_id, ${issueAssignee.userId} as id
      from ${issueAssignee} where ${issueAssignee.issueId} = any(${ids("issueIds")}))`;
  return db
    .select({
      users: sql<RowVersion[]>`found.users`,
      labels: sql<RowVersion[]>`found.labels`,
      milestones: sql<RowVersion[]>`found.milestones`,
      labelled: sql<Pair[]>`found.labelled`,
      assigned: sql<Pair[]>`found.assigned`,
      merged: sql<(readonly [issueId: number, mergedAt: string | null])[]>`found.merged`,
      issuesHaveFiles: sql<boolean>`found.issues_have_files`,
      commentsHaveFiles: sql<boolean>`found.comments_have_files`,
    })
    .from(
      sql`(${found} select
        ${rowsIn(owner, sql`${ids("userIds")} || array(select id from assigned)`, { condition: known, order: sql`order by ${owner.lowerName}` })} as users,
        ${rowsIn(label, sql`${ids("labelIds")} || array(select id from labelled)`, { order: sql`order by ${label.name}, ${label.id}` })} as labels,
        ${rowsIn(milestone, ids("milestoneIds"))} as milestones,
        ${pairsIn(sql`labelled`)} as labelled,
        ${pairsIn(sql`assigned`)} as assigned,
        ${jsonOf(sql`json_build_array(${pull.issueId}, ${pull.mergedAt})`, sql`${pull} where ${pull.issueId} = any(${ids("issueIds")})`)} as merged,
        exists (select 1 from ${attachment} where ${attachment.issueId} = any(${ids("issueIds")}) and ${attachment.commentId} is null) as issues_have_files,
        exists (select 1 from ${attachment} where ${attachment.commentId} = any(${ids("commentIds")})) as comments_have_files) found`,
    )
    .prepare("find_details");
});

const idsOf = (list: readonly (number | null)[] | undefined) => [...new Set(list?.flatMap((id) => id ?? []))];
const idsIn = (versions: readonly RowVersion[]) => versions.map(([id]) => id);

/** The ids of the other side by issue, in the order in which `known` has them; without those that it has not. */
function grouped(pairs: readonly Pair[], known: Iterable<number>): Map<number, number[]> {
  const rank = new Map([...known].map((id, index) => [id, index]));
  const rankOf = (id: number) => rank.get(id) ?? 0;
  const groups = new Map<number, number[]>();
  for (const [issueId, id] of pairs) {
    if (rank.has(id)) {
      const group = groups.get(issueId);
      if (group === undefined) {
        groups.set(issueId, [id]);
      } else {
        group.push(id);
      }
    }
  }
  for (const group of groups.values()) {
    group.sort((a, b) => rankOf(a) - rankOf(b));
  }
  return groups;
}

/**
 * Finds what is shown around issues and comments: one query, and one more for each kind of row of which some are not remembered. For
 * reads outside of transactions.
 */
export async function findDetails(db: Database, viewer: Viewer, wanted: Wanted): Promise<Details> {
  const { owners, labels, milestones } = memoryOf(db, null);
  const [found] = await detailsBy(db, limitsOf(viewer.credential)).execute({
    ...viewerValues(viewer),
    issueIds: [...(wanted.issueIds ?? [])],
    commentIds: [...(wanted.commentIds ?? [])],
    userIds: idsOf(wanted.userIds),
    labelIds: idsOf(wanted.labelIds),
    milestoneIds: idsOf(wanted.milestoneIds),
  });
  if (found === undefined) {
    throw new Error("A select of one row returned none");
  }
  const [userRows, labelRows, milestoneRows] = await Promise.all([
    owners.findAll(found.users),
    labels.findAll(found.labels),
    milestones.findAll(found.milestones),
  ]);
  return {
    users: userRows,
    labels: labelRows,
    milestones: milestoneRows,
    labelsOf: grouped(found.labelled, idsIn(found.labels)),
    assigneesOf: grouped(found.assigned, idsIn(found.users)),
    mergedAtOf: new Map(
      found.merged.map(([issueId, mergedAt]) => [issueId, mergedAt === null ? null : new Date(mergedAt)]),
    ),
    issuesHaveFiles: found.issuesHaveFiles,
    commentsHaveFiles: found.commentsHaveFiles,
  };
}
