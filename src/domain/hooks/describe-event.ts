import type { MovedRef } from "../events/names.ts";
import type { NamedReview } from "../events/pulls.ts";
import type { EventKind } from "../events.ts";
import type { HookEventType } from "./hook-events.ts";

/** One thing that hooks are told of. */
export interface HookNews {
  readonly type: HookEventType;
  /** The `action` of the payload; empty: it has none. */
  readonly action: string;
  /** The branch that it is about, which branch filters look at; null: none. */
  readonly branch: string | null;
  /** Which of the event's refs it is about. */
  readonly moved?: MovedRef;
}

/** Refs of one push that hooks are told of: each is an event of its own. */
const maxRefs = 250;

type Told = Readonly<Record<string, unknown>>;

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

interface SimpleNews {
  readonly type: HookEventType;
  /** The type for a pull request, where it differs; null: hooks hear nothing of it. */
  readonly pull?: HookEventType | null;
  readonly action: string;
}

/** The kinds of which there is one piece of news, with its type for issues and for pull requests, and its action. */
const simple = {
  "repository.created": { type: "repository", action: "created" },
  "repository.deleted": { type: "repository", action: "deleted" },
  "repository.renamed": { type: "repository", action: "renamed" },
  "repository.transferred": { type: "repository", action: "transferred" },
  "repository.archived": { type: "repository", action: "archived" },
  "repository.unarchived": { type: "repository", action: "unarchived" },
  "repository.forked": { type: "fork", action: "" },
  "wiki.page-created": { type: "wiki", action: "created" },
  "wiki.page-edited": { type: "wiki", action: "edited" },
  "wiki.page-deleted": { type: "wiki", action: "deleted" },
  "release.published": { type: "release", action: "published" },
  "release.updated": { type: "release", action: "updated" },
  "release.deleted": { type: "release", action: "deleted" },
  "package.published": { type: "package", action: "created" },
  "package.deleted": { type: "package", action: "deleted" },
  "status.created": { type: "status", action: "" },
  "issue.opened": { type: "issues", pull: "pull_request", action: "opened" },
  "issue.closed": { type: "issues", pull: "pull_request", action: "closed" },
  "issue.reopened": { type: "issues", pull: "pull_request", action: "reopened" },
  // Nothing tells of a pull request that is gone, as in the family.
  "issue.deleted": { type: "issues", pull: null, action: "deleted" },
  "issue.retitled": { type: "issues", pull: "pull_request", action: "edited" },
  "issue.rewritten": { type: "issues", pull: "pull_request", action: "edited" },
  "issue.ref-changed": { type: "issues", pull: "pull_request", action: "edited" },
  "issue.due-changed": { type: "issues", pull: "pull_request", action: "edited" },
  "issue.assigned": { type: "issue_assign", pull: "pull_request_assign", action: "assigned" },
  "issue.unassigned": { type: "issue_assign", pull: "pull_request_assign", action: "unassigned" },
  "issue.labeled": { type: "issue_label", pull: "pull_request_label", action: "label_updated" },
  "issue.unlabeled": { type: "issue_label", pull: "pull_request_label", action: "label_updated" },
  "issue.milestoned": { type: "issue_milestone", pull: "pull_request_milestone", action: "milestoned" },
  "issue.demilestoned": { type: "issue_milestone", pull: "pull_request_milestone", action: "demilestoned" },
  "pull.synchronized": { type: "pull_request_sync", action: "synchronized" },
  "pull.merged": { type: "pull_request", action: "closed" },
  "pull.retargeted": { type: "pull_request", action: "edited" },
  "review.requested": { type: "pull_request_review_request", action: "review_requested" },
  "review.request-withdrawn": { type: "pull_request_review_request", action: "review_request_removed" },
  "comment.created": { type: "issue_comment", pull: "pull_request_comment", action: "created" },
  "comment.edited": { type: "issue_comment", pull: "pull_request_comment", action: "edited" },
  "comment.deleted": { type: "issue_comment", pull: "pull_request_comment", action: "deleted" },
} satisfies Partial<Record<EventKind, SimpleNews>>;
const simpleByKind: Readonly<Record<string, SimpleNews>> = simple;

/** The kinds of events that hooks hear of. Each has a maker of payloads (`src/webhooks/payloads/make-payload.ts`). */
export type HeardKind = keyof typeof simple | "refs.moved" | "review.submitted";

const typeOfReview: Readonly<Record<NamedReview["kind"], HookEventType>> = {
  approve: "pull_request_review_approved",
  "request-changes": "pull_request_review_rejected",
  comment: "pull_request_review_comment",
};

/** What hooks are told of an event of the outbox, in its order; nothing for most kinds. */
export function describeEvent(kind: string, told: Told): HookNews[] {
  if (kind === "refs.moved") {
    return ((told["refs"] ?? []) as readonly MovedRef[]).slice(0, maxRefs).flatMap(newsOfRef);
  }
  if (kind === "review.submitted") {
    const { kind: verdict } = told["review"] as NamedReview;
    return [{ type: typeOfReview[verdict], action: "reviewed", branch: null }];
  }
  const clearing = told["clearing"] as { isLast: boolean } | undefined;
  const found = Object.hasOwn(simpleByKind, kind) ? simpleByKind[kind] : undefined;
  const isDraft = (told["release"] as { draft?: boolean } | undefined)?.draft === true;
  // Labels that are cleared are told of once, as in the family.
  if (found === undefined || isDraft || clearing?.isLast === false) {
    return [];
  }
  const isPull = (told["issue"] as { isPull?: boolean } | undefined)?.isPull === true;
  const type = isPull && found.pull !== undefined ? found.pull : found.type;
  return type === null ? [] : [{ type, action: clearing === undefined ? found.action : "label_cleared", branch: null }];
}

/** A branch or tag that is new is told of twice, as the family does. A deleted branch is not pushed to, a deleted tag is. */
function newsOfRef(moved: MovedRef): HookNews[] {
  const { name, oldOid, newOid } = moved;
  const isTag = name.startsWith(tagPrefix);
  if (!isTag && !name.startsWith(branchPrefix)) {
    return [];
  }
  const branch = isTag ? null : name.slice(branchPrefix.length);
  const news = (type: HookEventType) => ({ type, action: "", branch, moved });
  return [
    ...(oldOid === null ? [news("create")] : []),
    ...(newOid !== null || isTag ? [news("push")] : []),
    ...(newOid === null ? [news("delete")] : []),
  ];
}
