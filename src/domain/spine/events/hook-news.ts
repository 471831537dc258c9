import type { HookEventType } from "./hook-types.ts";
import type { MovedRef, NamedIssue, NamedRelease, NamedReview } from "./names.ts";

/** One thing that webhooks are told of an event. */
export interface HookNews {
  readonly type: HookEventType;
  /** The `action` of the payload; empty: it has none. */
  readonly action: string;
  /** The branch that branch filters look at; absent: none. */
  readonly branch?: string;
  /** The one of the event's refs that it is about. */
  readonly moved?: MovedRef;
  /** The one webhook that is told, whatever it wants to hear; absent: all that want to hear it. */
  readonly hookId?: number;
}

/** News of one type and action. */
export const news = (type: HookEventType, action: string) => (): HookNews[] => [{ type, action }];

/** News of an issue or of a pull request, with the type of each; null: webhooks hear nothing of a pull request. */
export const newsOfIssue =
  (issueType: HookEventType, pullType: HookEventType | null, action: string) =>
  ({ issue }: { issue: NamedIssue }): HookNews[] => {
    const type = issue.isPull ? pullType : issueType;
    return type === null ? [] : [{ type, action }];
  };

/** News of labels. All labels that are cleared at once are one piece of news, as in the family. */
export function newsOfLabel(event: { issue: NamedIssue; clearing?: { isLast: boolean } }): HookNews[] {
  const { clearing } = event;
  const action = clearing === undefined ? "label_updated" : "label_cleared";
  return clearing?.isLast === false ? [] : newsOfIssue("issue_label", "pull_request_label", action)(event);
}

/** News of a release; webhooks hear nothing of a draft. */
export const newsOfRelease =
  (action: string) =>
  ({ release }: { release: NamedRelease }): HookNews[] =>
    release.draft ? [] : [{ type: "release", action }];

const typeOfReview: Readonly<Record<NamedReview["kind"], HookEventType>> = {
  approve: "pull_request_review_approved",
  "request-changes": "pull_request_review_rejected",
  comment: "pull_request_review_comment",
};

export function newsOfReview({ review }: { review: NamedReview }): HookNews[] {
  return [{ type: typeOfReview[review.kind], action: "reviewed" }];
}

/** Refs of one push that webhooks are told of: each is news of its own. */
const maxRefs = 250;

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

export function newsOfRefs({ refs }: { refs: readonly MovedRef[] }): HookNews[] {
  return refs.slice(0, maxRefs).flatMap(newsOfRef);
}

/** A branch or tag that is new is told of twice, as the family does. A deleted branch is not pushed to, a deleted tag is. */
function newsOfRef(moved: MovedRef): HookNews[] {
  const { name, oldOid, newOid } = moved;
  const isTag = name.startsWith(tagPrefix);
  if (!isTag && !name.startsWith(branchPrefix)) {
    return [];
  }
  const branch = isTag ? {} : { branch: name.slice(branchPrefix.length) };
  const one = (type: HookEventType) => ({ type, action: "", ...branch, moved });
  return [
    ...(oldOid === null ? [one("create")] : []),
    ...(newOid !== null || isTag ? [one("push")] : []),
    ...(newOid === null ? [one("delete")] : []),
  ];
}
