import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { listEntitled } from "../../domain/repos/entitled-queries.ts";
import { attachmentsOfComments, type AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { countReactions, type CountedReaction } from "../../domain/work/comments/reaction-queries.ts";
import { completeEntries, listTimeline, type FoundEntry } from "../../domain/work/comments/timeline-queries.ts";
import { mayWriteIssue } from "../../domain/work/issues/access.ts";
import { findRelatedIssues } from "../../domain/work/issues/dependency-queries.ts";
import {
  completeIssues,
  type FoundIssue,
  type IssueRow,
  type LabelRow,
  type MilestoneRow,
} from "../../domain/work/issues/queries.ts";
import { findSubscription } from "../../domain/work/issues/subscription-queries.ts";
import { listUsableLabels } from "../../domain/work/labels/queries.ts";
import { listOpenMilestones } from "../../domain/work/milestones/queries.ts";
import { isConcerned } from "../../domain/work/notifications/recipient-queries.ts";
import { findSpent, type SpentTimes } from "../../domain/work/times/queries.ts";
import { findRunning } from "../../domain/work/times/stopwatch-queries.ts";
import { mayTrack } from "../../domain/work/times/track-time.ts";
import type { OwnerRow } from "../../auth/subject.ts";
import type { Html } from "../html.ts";
import { offers } from "../offers.ts";
import { sliceOf, type Slice } from "../parts/pager.ts";
import type { Visit } from "../visit.ts";
import { findLinePlaces, type LinePlaceRow } from "../../domain/work/reviews/comment-queries.ts";
import { loadPull, type LoadedPull } from "../pulls/load-pull.ts";
import { reads } from "../frame/subject-tabs.ts";
import { loadTimelineThreads, type TimelineThreads } from "../review/conversation.ts";
import { renderComments } from "./texts.ts";

/** A timeline shows so many entries of its beginning and of its end; a page of `?page=` has twice as many. */
const shownEntries = 50;
const mostRelated = 40;
const manyChoices = { size: 200, offset: 0 };

export interface LoadedEntry {
  readonly entry: FoundEntry;
  /** The text of a comment or a review, rendered. */
  readonly text: Html | null;
  readonly files: readonly AttachmentRow[];
  /** Where a comment on a line is; null: it is none. */
  readonly place: LinePlaceRow | null;
}

/** What the visitor may do here. Forms are offered by it; the use cases decide. */
export interface Rights {
  readonly comments: boolean;
  readonly writes: boolean;
  readonly administers: boolean;
}

/** The choices of the forms beside an issue; empty for those who may not change it. */
interface Choices {
  readonly labels: readonly LabelRow[];
  readonly milestones: readonly MilestoneRow[];
  readonly assignees: readonly OwnerRow[];
}

interface Times {
  readonly spent: SpentTimes;
  /** Whether these are the visitor's alone: those of others are for those who may write. */
  readonly isOwnOnly: boolean;
  /** Whether the visitor may add some. */
  readonly tracks: boolean;
  /** Since when the visitor's stopwatch runs on it; null: it does not. */
  readonly runningSince: Date | null;
}

/** An issue or a pull request with all that its page shows. */
export interface Discussion {
  readonly found: FoundIssue;
  readonly text: Html;
  readonly entries: readonly LoadedEntry[];
  /** The number of entries between those of the beginning and those of the end, which are not shown. */
  readonly hidden: { readonly after: number; readonly count: number } | null;
  readonly total: number;
  /** The page that `?page=` asks for; null: the beginning and the end. */
  readonly page: Slice | null;
  readonly reactions: readonly CountedReaction[];
  readonly dependencies: readonly FoundIssue[];
  readonly blocks: readonly FoundIssue[];
  /** Whether the visitor hears of it; null: nobody is signed in. */
  readonly hears: boolean | null;
  readonly rights: Rights;
  /** null: no time is tracked here, or nobody is signed in. */
  readonly times: Times | null;
  readonly choices: Choices;
  /** null: it is an issue, or the visitor may not read the code. */
  readonly pull: LoadedPull | null;
  /** Conversations about lines; null: there are none for the visitor. */
  readonly threads: TimelineThreads | null;
}

export function rightsOn(visit: Visit, access: RepositoryAccess, row: IssueRow): Rights {
  const unit = row.isPull ? "pulls" : "issues";
  const may = (verb: "participate" | "admin") =>
    offers(visit, { may: { on: "repository", do: verb, unit }, signedIn: true });
  const writes = may("participate") && mayWriteIssue(access, row);
  return { comments: may("participate") && (row.lockedAt === null || writes), writes, administers: may("admin") };
}

async function loadTimeline(forge: Forge, visit: Visit, access: RepositoryAccess, row: IssueRow) {
  const { db } = forge.database;
  const of = { issueId: row.id, readsCode: access.units.code >= accessModes.read };
  const slice = (size: number, offset: number) => listTimeline(db, visit, of, {}, { size, offset });
  const page = visit.query.has("page") ? sliceOf(visit.query, 2 * shownEntries) : null;
  const { rows, total } = await slice(2 * shownEntries, page?.offset ?? 0);
  if (page !== null || total <= rows.length) {
    return { rows, total, page, hidden: null };
  }
  const last = await slice(shownEntries, Math.max(shownEntries, total - shownEntries));
  const first = rows.slice(0, shownEntries);
  return {
    rows: [...first, ...last.rows],
    total,
    page,
    hidden: { after: first.length, count: Math.max(0, total - first.length - last.rows.length) },
  };
}

async function loadChoices(forge: Forge, visit: Visit, access: RepositoryAccess, { writes }: Rights): Promise<Choices> {
  if (!writes) {
    return { labels: [], milestones: [], assignees: [] };
  }
  const { db } = forge.database;
  const [labels, milestones, assignees] = await Promise.all([
    listUsableLabels(db, access, manyChoices),
    listOpenMilestones(db, access.repository.id, manyChoices.size),
    listEntitled(db, visit, access, ["issues", "pulls"], "write"),
  ]);
  return { labels, milestones, assignees: assignees.slice(0, manyChoices.size) };
}

async function loadHears(forge: Forge, visit: Visit, row: IssueRow): Promise<boolean | null> {
  const { db } = forge.database;
  return visit.actor === null
    ? null
    : ((await findSubscription(db, row.id, visit.actor.id)) ?? (await isConcerned(db, row.id, visit.actor.id)));
}

async function loadTimes(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  row: IssueRow,
  { writes }: Rights,
): Promise<Omit<Times, "tracks"> | null> {
  const { db } = forge.database;
  if (visit.actor === null || !access.repository.enableTimeTracker) {
    return null;
  }
  const [spent, running] = await Promise.all([
    findSpent(db, row.id, writes ? null : visit.actor.id),
    findRunning(db, visit),
  ]);
  return { spent, isOwnOnly: !writes, runningSince: running?.issue.id === row.id ? running.startedAt : null };
}

const hasText = ({ comment: { kind, body } }: FoundEntry) =>
  kind === "comment" || ((kind === "review" || kind === "code") && body !== "");

/** Reads what the page of an issue shows, in few turns of queries, however long it is. */
export async function loadDiscussion(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  row: IssueRow,
): Promise<Discussion> {
  const { db } = forge.database;
  const rights = rightsOn(visit, access, row);
  const [timeline, { dependencies, blocks }, hears, choices, times] = await Promise.all([
    loadTimeline(forge, visit, access, row),
    findRelatedIssues(db, visit, row.id, mostRelated),
    loadHears(forge, visit, row),
    loadChoices(forge, visit, access, rights),
    loadTimes(forge, visit, access, row, rights),
  ]);
  const lineIds = timeline.rows.flatMap(({ id, kind }) => (kind === "code" ? [id] : []));
  const commentIds = timeline.rows.flatMap(({ id, kind }) => (kind === "comment" ? [id] : []));
  const [issues, entries, reactions, files, places, pull, threads] = await Promise.all([
    completeIssues(db, visit, [row, ...dependencies, ...blocks]),
    completeEntries(db, visit, timeline.rows, rights.administers),
    countReactions(db, row.id, commentIds, visit.actor?.id ?? null),
    attachmentsOfComments(db, commentIds),
    findLinePlaces(db, lineIds),
    row.isPull ? loadPull(forge, visit, access, row) : null,
    reads(visit, "code-of-pulls") ? loadTimelineThreads(forge, visit, access, row, lineIds) : null,
  ]);
  const [found, ...others] = issues;
  if (found === undefined) {
    throw new Error("An issue was completed as none");
  }
  const withText = entries.filter(hasText);
  const [text, ...texts] = await renderComments(forge, visit, access, [
    row.body,
    ...withText.map(({ comment }) => comment.body),
  ]);
  if (text === undefined) {
    throw new Error("A text was rendered as none");
  }
  return {
    found,
    text,
    entries: entries.map((entry) => ({
      entry,
      text: texts[withText.indexOf(entry)] ?? null,
      files: files.filter(({ commentId }) => commentId === entry.comment.id),
      place: places.get(entry.comment.id) ?? null,
    })),
    hidden: timeline.hidden,
    total: timeline.total,
    page: timeline.page,
    reactions,
    dependencies: others.slice(0, dependencies.length),
    blocks: others.slice(dependencies.length),
    hears,
    rights,
    times: times && {
      ...times,
      tracks:
        offers(visit, {
          may: { on: "repository", do: "participate", unit: row.isPull ? "pulls" : "issues" },
          signedIn: true,
        }) &&
        mayTrack(
          access,
          row,
          visit.actor?.id ?? 0,
          found.assignees.some(({ id }) => id === visit.actor?.id),
        ),
    },
    choices,
    pull,
    threads,
  };
}
