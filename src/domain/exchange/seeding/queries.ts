import { and, eq, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { unitVisibleSql, usersGivenSql } from "../../../auth/access-sql.ts";
import type { Database, Reader, Transaction } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import {
  issue,
  issueAssignee,
  issueLabel,
  issueMention,
  issueSequence,
  label,
  milestone,
} from "../../../db/schema/issues.ts";
import { accessModes, account, owner, type OwnerKind } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { LabelRow } from "../../work/issues/queries.ts";

/** A repository that seeds fill. */
export interface SeededRepository {
  id: number;
  name: string;
  /** `owner/name`, in lower case. */
  key: string;
  owner: { id: number; name: string; kind: OwnerKind };
}

export interface LabelColumns {
  repositoryId: number | null;
  ownerId: number | null;
  name: string;
  color: string;
  description: string;
  exclusive: boolean;
}

export interface MilestoneColumns {
  repositoryId: number;
  title: string;
  description: string;
  dueAt: Date | null;
  closedAt: Date | null;
}

export interface IssueColumns {
  repositoryId: number;
  number: number;
  isPull: boolean;
  title: string;
  body: string;
  authorId: number | null;
  originalAuthor: string;
  originalAuthorId: number;
  closedAt: Date | null;
  closedById: number | null;
  lockedAt: Date | null;
  milestoneId: number | null;
  dueAt: Date | null;
  ref: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface CommentColumns {
  repositoryId: number;
  issueId: number;
  authorId: number | null;
  originalAuthor: string;
  originalAuthorId: number;
  body: string;
  createdAt: Date;
}

/** Rows as one parameter, so that however many there are they are one prepared statement. */
function rowsOf(rows: readonly object[]) {
  const text = JSON.stringify(
    rows.map((row, place) => ({ place, ...row })),
    (_, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value),
  );
  return sql`${text}::text::jsonb`;
}

const array = (values: readonly (number | string)[]) => sql.param([...values]);

/** The repositories of these names, by `owner/name` in lower case. */
export async function findRepositories(
  tx: Transaction,
  names: readonly string[],
): Promise<Map<string, SeededRepository>> {
  const pairs = names.map((name) => name.toLowerCase().split("/"));
  const rows = await tx
    .select({
      id: repository.id,
      name: repository.name,
      key: sql<string>`${owner.lowerName} || '/' || ${repository.lowerName}`,
      owner: { id: owner.id, name: owner.name, kind: owner.kind },
    })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      sql`(${owner.lowerName}, ${repository.lowerName}) in (select * from unnest(${array(pairs.map(([holder = ""]) => holder))}::text[], ${array(pairs.map(([, name = ""]) => name))}::text[]))`,
    );
  return new Map(rows.map((row) => [row.key, row]));
}

/** The users of these names, by name in lower case. */
export async function findUsers(db: Reader, names: readonly string[]): Promise<Map<string, { id: number }>> {
  const lowerNames = [...new Set(names.map((name) => name.toLowerCase()))];
  const rows = await db
    .select({ id: owner.id, lowerName: owner.lowerName })
    .from(owner)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(sql`${owner.lowerName} = any(${array(lowerNames)}::text[])`);
  return new Map(rows.map(({ id, lowerName }) => [lowerName, { id }]));
}

/** The owners of these names, by name in lower case. */
export async function findOwners(
  db: Reader,
  names: readonly string[],
): Promise<Map<string, { id: number; kind: OwnerKind }>> {
  const lowerNames = [...new Set(names.map((name) => name.toLowerCase()))];
  const rows = await db
    .select({ id: owner.id, kind: owner.kind, lowerName: owner.lowerName })
    .from(owner)
    .where(sql`${owner.lowerName} = any(${array(lowerNames)}::text[])`);
  return new Map(rows.map(({ id, kind, lowerName }) => [lowerName, { id, kind }]));
}

/** Finds for each organization the owner who has been a user for longest, by the organization's id. */
export async function findFirstOwners(db: Reader, organizationIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.execute<{ organization: string; user: string }>(
    sql`select team.organization_id as organization, min(team_member.user_id) as user
      from team join team_member on team_member.team_id = team.id
      where team.organization_id = any(${array(organizationIds)}::bigint[]) and team.mode = ${accessModes.owner}
      group by team.organization_id`,
  );
  return new Map(rows.map((row) => [Number(row.organization), Number(row.user)]));
}

/** Returns those of the users to whom issues of a repository can be assigned. */
export async function findAssignableIds(
  tx: Transaction,
  { id, owner: holder }: SeededRepository,
  userIds: readonly number[],
): Promise<Set<number>> {
  const given = usersGivenSql(id, holder.id, ["issues", "pulls"], accessModes.write);
  const rows = await tx
    .select({ id: account.ownerId })
    .from(account)
    .where(
      and(
        sql`${account.ownerId} = any(${array(userIds)}::bigint[])`,
        account.active,
        sql`not ${account.suspended}`,
        sql`${account.ownerId} in (select given.id from ${given} given)`,
      ),
    );
  return new Set(rows.map((row) => row.id));
}

/** Locks the numbers of repositories, in the order of their ids, and returns the last that each has given. */
export async function lockNumbers(tx: Transaction, repositoryIds: readonly number[]): Promise<Map<number, number>> {
  const ids = repositoryIds.toSorted((left, right) => left - right);
  await tx.execute(
    sql`insert into ${issueSequence} (repository_id, last) select id, 0 from unnest(${array(ids)}::bigint[]) as id order by id on conflict do nothing`,
  );
  const rows = await tx
    .select()
    .from(issueSequence)
    .where(sql`${issueSequence.repositoryId} = any(${array(ids)}::bigint[])`)
    .orderBy(issueSequence.repositoryId)
    .for("update");
  return new Map(rows.map((row) => [row.repositoryId, row.last]));
}

/** Writes the last numbers of repositories whose rows are locked. */
export async function writeNumbers(tx: Transaction, lasts: ReadonlyMap<number, number>): Promise<void> {
  await tx.execute(
    sql`update ${issueSequence} set last = given.last from unnest(${array([...lasts.keys()])}::bigint[], ${array([...lasts.values()])}::int[]) as given (id, last)
      where ${issueSequence.repositoryId} = given.id and ${issueSequence.last} <> given.last`,
  );
}

/** The titles of issues and pull requests of these numbers, by `repository id#number`. */
export async function findTitles(
  tx: Transaction,
  wanted: readonly { repositoryId: number; number: number }[],
): Promise<Map<string, { title: string; isPull: boolean }>> {
  const rows = await tx
    .select({ repositoryId: issue.repositoryId, number: issue.number, title: issue.title, isPull: issue.isPull })
    .from(issue)
    .where(
      sql`(${issue.repositoryId}, ${issue.number}) in (select * from unnest(${array(wanted.map((one) => one.repositoryId))}::bigint[], ${array(wanted.map((one) => one.number))}::int[]))`,
    );
  return new Map(
    rows.map(({ repositoryId, number, title, isPull }) => [`${repositoryId}#${number}`, { title, isPull }]),
  );
}

/** The labels of these names that are held by the repositories or the owners, the oldest first. */
export async function findLabelsNamed(
  tx: Transaction,
  holders: { repositoryIds: readonly number[]; ownerIds: readonly number[] },
  names: readonly string[],
): Promise<LabelRow[]> {
  return tx
    .select()
    .from(label)
    .where(
      and(
        sql`(${label.repositoryId} = any(${array(holders.repositoryIds)}::bigint[]) or ${label.ownerId} = any(${array(holders.ownerIds)}::bigint[]))`,
        sql`${label.name} = any(${array(names)}::text[])`,
      ),
    )
    .orderBy(label.id);
}

/** The milestones of these titles, the oldest first. */
export async function findMilestonesTitled(
  tx: Transaction,
  repositoryIds: readonly number[],
  titles: readonly string[],
): Promise<{ id: number; repositoryId: number; title: string }[]> {
  return tx
    .select({ id: milestone.id, repositoryId: milestone.repositoryId, title: milestone.title })
    .from(milestone)
    .where(
      and(inArray(milestone.repositoryId, [...repositoryIds]), sql`${milestone.title} = any(${array(titles)}::text[])`),
    )
    .orderBy(milestone.id);
}

export async function insertLabelRows(tx: Transaction, rows: readonly LabelColumns[]): Promise<void> {
  await tx.execute(
    sql`insert into ${label} (repository_id, owner_id, name, color, description, exclusive)
      select "repositoryId", "ownerId", name, color, description, exclusive
      from jsonb_to_recordset(${rowsOf(rows)}) as given (place int, "repositoryId" bigint, "ownerId" bigint, name text, color text, description text, exclusive boolean)
      order by place`,
  );
}

export async function insertMilestoneRows(tx: Transaction, rows: readonly MilestoneColumns[]): Promise<void> {
  await tx.execute(
    sql`insert into ${milestone} (repository_id, title, description, due_at, closed_at)
      select "repositoryId", title, description, "dueAt", "closedAt"
      from jsonb_to_recordset(${rowsOf(rows)}) as given (place int, "repositoryId" bigint, title text, description text, "dueAt" timestamptz, "closedAt" timestamptz)
      order by place`,
  );
}

/** Inserts issues with the numbers that they are given; returns their ids in the same order. */
export async function insertIssueRows(tx: Transaction, rows: readonly IssueColumns[]): Promise<number[]> {
  const made = await tx.execute<{ id: string; repository_id: string; number: number }>(
    sql`insert into ${issue} (repository_id, number, is_pull, title, body, author_id, original_author, original_author_id, closed_at, closed_by_id, locked_at, milestone_id, due_at, ref, created_at, updated_at)
      select "repositoryId", number, "isPull", title, body, "authorId", "originalAuthor", "originalAuthorId", "closedAt", "closedById", "lockedAt", "milestoneId", "dueAt", ref, "createdAt", "updatedAt"
      from jsonb_to_recordset(${rowsOf(rows)}) as given (place int, "repositoryId" bigint, number int, "isPull" boolean, title text, body text, "authorId" bigint,
        "originalAuthor" text, "originalAuthorId" bigint, "closedAt" timestamptz, "closedById" bigint, "lockedAt" timestamptz, "milestoneId" bigint, "dueAt" timestamptz, ref text,
        "createdAt" timestamptz, "updatedAt" timestamptz)
      order by place returning id, repository_id, number`,
  );
  const ids = new Map(made.map((row) => [`${row.repository_id}#${row.number}`, Number(row.id)]));
  return rows.map(({ repositoryId, number }) => {
    const id = ids.get(`${repositoryId}#${number}`);
    if (id === undefined) {
      throw new Error("An insert returned too few rows");
    }
    return id;
  });
}

export async function insertCommentRows(tx: Transaction, rows: readonly CommentColumns[]): Promise<void> {
  await tx.execute(
    sql`insert into ${comment} (repository_id, issue_id, kind, author_id, original_author, original_author_id, body, created_at, updated_at)
      select "repositoryId", "issueId", 'comment', "authorId", "originalAuthor", "originalAuthorId", body, "createdAt", "createdAt"
      from jsonb_to_recordset(${rowsOf(rows)}) as given (place int, "repositoryId" bigint, "issueId" bigint, "authorId" bigint,
        "originalAuthor" text, "originalAuthorId" bigint, body text, "createdAt" timestamptz)
      order by place`,
  );
}

/** Pairs of an issue's id and another one. */
type Pairs = readonly (readonly [number, number])[];

const columnsOf = (pairs: Pairs) =>
  sql`unnest(${array(pairs.map(([left]) => left))}::bigint[], ${array(pairs.map(([, right]) => right))}::bigint[])`;

export async function insertLabelPairs(tx: Transaction, pairs: Pairs): Promise<void> {
  await tx.execute(
    sql`insert into ${issueLabel} (issue_id, label_id) select * from ${columnsOf(pairs)} on conflict do nothing`,
  );
}

export async function insertAssigneePairs(tx: Transaction, pairs: Pairs): Promise<void> {
  await tx.execute(
    sql`insert into ${issueAssignee} (issue_id, user_id) select * from ${columnsOf(pairs)} on conflict do nothing`,
  );
}

const mentioned = alias(owner, "mentioned");

/** Writes whom issues name: pairs of an issue's id and a user's name in lower case. Only those count who may read the issue. */
export async function insertMentionPairs(
  tx: Transaction,
  pairs: readonly (readonly [number, string])[],
): Promise<void> {
  const reader = {
    id: sql`${account.ownerId}`,
    isAdmin: sql`${account.isAdmin}`,
    restricted: sql`${account.restricted}`,
  };
  await tx.execute(
    sql`insert into ${issueMention} (issue_id, user_id)
      select distinct ${issue.id}, ${mentioned.id}
      from unnest(${array(pairs.map(([id]) => id))}::bigint[], ${array(pairs.map(([, name]) => name))}::text[]) as named (issue_id, lower_name)
        join ${owner} as "mentioned" on ${mentioned.lowerName} = named.lower_name
        join ${account} on ${account.ownerId} = ${mentioned.id}
        join ${issue} on ${issue.id} = named.issue_id
        join ${repository} on ${repository.id} = ${issue.repositoryId}
        join ${owner} on ${owner.id} = ${repository.ownerId}
      where ${account.active} and not ${account.suspended} and ${unitVisibleSql(reader, "issues")}
      on conflict do nothing`,
  );
}

/**
 * Has PostgreSQL look at how many rows of which values there are now. By itself it does so minutes later, and until then it plans lists as if the
 * tables were empty.
 */
export async function renewStatistics(db: Database): Promise<void> {
  await db.execute(sql`analyze`);
}
