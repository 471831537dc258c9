import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Database } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { demandWriter, mayWriteIssue } from "../issues/access.ts";
import { deleteIssue } from "../issues/delete-issue.ts";
import { lockSequence } from "../issues/edit-queries.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import { holdTextsBy } from "../issues/hold-texts.ts";
import { namedIssue } from "../issues/named-issue.ts";
import {
  completeIssues,
  insertIssue,
  insertLabels,
  type FoundIssue,
  type IssueRow,
  type LabelRow,
  type MilestoneRow,
} from "../issues/queries.ts";
import { listUsableLabels } from "../labels/queries.ts";
import { findMilestoneNamed } from "../milestones/queries.ts";
import { copyEntries, insertRedirect, moveBelongings, moveReferences } from "./transfer-queries.ts";

const allLabels = { size: 1000, offset: 0 };

/** What of an issue has a counterpart in another repository, and what has none. */
export interface Counterparts {
  readonly labels: readonly LabelRow[];
  readonly lostLabels: readonly string[];
  readonly milestone: MilestoneRow | null;
  readonly lostMilestone: string | null;
}

/** Finds the labels and the milestone of an issue by their names in another repository. */
export async function findCounterparts(
  db: Database,
  { labels, milestone }: Pick<FoundIssue, "labels" | "milestone">,
  to: RepositoryAccess,
): Promise<Counterparts> {
  const usable = labels.length === 0 ? [] : await listUsableLabels(db, to, allLabels);
  const byName = new Map(usable.map((one) => [one.name.toLowerCase(), one]));
  const found = labels.map(({ name }) => ({ name, label: byName.get(name.toLowerCase()) }));
  const named = milestone === null ? null : await findMilestoneNamed(db, to.repository.id, milestone.title);
  // It may be found by its id, too.
  const same = named?.title === milestone?.title ? named : null;
  return {
    labels: found.flatMap(({ label }) => label ?? []),
    lostLabels: found.flatMap(({ name, label }) => (label === undefined ? [name] : [])),
    milestone: same,
    lostMilestone: milestone !== null && same === null ? milestone.title : null,
  };
}

/**
 * Moves an issue to another repository, for somebody who may write the issues of both; the unit of work was opened for both. It gets a new number
 * there; the old one leads to it. Its comments, files, reactions, former texts, times and dependencies come along; labels and the milestone
 * where the other repository has some of their names. Throws NotFound, Forbidden, InvalidInput, QuotaExceeded.
 */
export async function transferIssue(
  work: Work,
  from: RepositoryAccess,
  to: RepositoryAccess,
  number: number,
): Promise<IssueRow> {
  const { tx } = work;
  const ids = [from.repository.id, to.repository.id].toSorted((one, other) => one - other);
  if (ids[0] === ids[1]) {
    throw new InvalidInput("The issue is in that repository already", "to");
  }
  for (const id of ids) {
    await lockSequence(tx, id);
  }
  const row = await getLockedIssue(work, from, number);
  await demandWriter(work, from, row);
  if (row.isPull) {
    throw new InvalidInput("A pull request stays where its branches are", "to");
  }
  if (!mayWriteIssue(to, row)) {
    throw new Forbidden("An issue goes only to a repository whose issues you may write");
  }
  const [found] = await completeIssues(tx, { actor: null, credential: { kind: "none" } }, [row]);
  const { labels, milestone } = await findCounterparts(tx, found ?? { labels: [], milestone: null }, to);
  const { title, body, byGuest, authorId, originalAuthor, originalAuthorId, closedAt, closedById } = row;
  const { lockedAt, lockReason, dueAt, createdAt } = row;
  const moved = await insertIssue(tx, {
    repositoryId: to.repository.id,
    isPull: false,
    title,
    body,
    byGuest,
    authorId,
    originalAuthor,
    originalAuthorId,
    closedAt,
    closedById,
    lockedAt,
    lockReason,
    dueAt,
    createdAt,
    milestoneId: milestone?.id ?? null,
  });
  await insertLabels(
    tx,
    moved.id,
    labels.map(({ id }) => id),
  );
  const move = { oldId: row.id, newId: moved.id, repositoryId: to.repository.id };
  const renamed = await copyEntries(tx, move);
  const files = await moveBelongings(tx, move, renamed);
  await moveReferences(tx, move, renamed);
  await insertRedirect(tx, from.repository.id, number, moved.id);
  const repository = namedRepository(to);
  const issue = namedIssue(moved);
  work.tell({ kind: "issue.opened", repository, issue });
  for (const attachment of files) {
    work.tell({ kind: "issue-attachment.added", repository, issue, attachment });
  }
  await holdTextsBy(work, to);
  await deleteIssue(work, from, number);
  return moved;
}
