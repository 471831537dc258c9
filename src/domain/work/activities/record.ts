import type { ActivityKind } from "../../../db/schema/social.ts";
import type { Event } from "../../spine/events.ts";
import type { MovedRef, NamedReview } from "../../spine/events/names.ts";
import { isDraftTitle } from "../pulls/draft.ts";
import type { Work } from "../../spine/work.ts";
import { insertActivities } from "./queries.ts";
import type { StoredSubject } from "./subject-queries.ts";

/** More refs of one push than this are a mirror at work, not somebody's deeds. */
const maxRefsOfPush = 50;

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

/** The activity of an event in the feed; `content` is the further data of the kind. */
interface Deed {
  kind: ActivityKind;
  refName: string;
  content: string;
}

/** Subscriber: writes down what somebody did in a repository, for the feeds. What a deploy key and the server do is nobody's deed. */
export async function recordActivities({ tx, actorId, config }: Work, event: Event): Promise<void> {
  if (actorId !== null && "repository" in event && event.repository !== null) {
    const deeds = [...deedsOf(event), ...deedsInIssue(event, config.pulls.draft_prefixes)];
    await insertActivities(tx, actorId, event.repository.id, deeds);
  }
}

/** Returns the activities in issues and pull requests. */
function deedsInIssue(event: Event, draftPrefixes: readonly string[]): Deed[] {
  if (!("issue" in event)) {
    return [];
  }
  const { issue } = event;
  const deed = (kind: ActivityKind, more: Pick<StoredSubject, "comment" | "review"> = {}): Deed[] => {
    const subject: StoredSubject = { issue: issue.id, number: issue.number, ...more };
    return [{ kind, refName: "", content: JSON.stringify(subject) }];
  };
  const either = (ofPull: ActivityKind, ofIssue: ActivityKind) => (issue.isPull ? ofPull : ofIssue);
  switch (event.kind) {
    case "issue.opened":
      return deed(either("create_pull_request", "create_issue"));
    case "issue.closed":
      return deed(either("close_pull_request", "close_issue"));
    case "issue.reopened":
      return deed(either("reopen_pull_request", "reopen_issue"));
    case "issue.retitled": {
      const isReady = isDraftTitle(event.oldTitle, draftPrefixes) && !isDraftTitle(issue.title, draftPrefixes);
      return issue.isPull && isReady ? deed("pull_request_ready_for_review") : [];
    }
    case "comment.created":
      return deed(either("comment_pull", "comment_issue"), { comment: event.comment.id });
    case "pull.merged":
      return deed(event.scheduled === true ? "auto_merge_pull_request" : "merge_pull_request");
    case "review.submitted":
      return deed(kindOfReview[event.review.kind], { review: event.review.id });
    case "review.dismissed":
      return deed("pull_review_dismissed", { review: event.review.id });
    default:
      return [];
  }
}

const kindOfReview = {
  approve: "approve_pull_request",
  "request-changes": "reject_pull_request",
  comment: "comment_pull",
} as const satisfies Record<NamedReview["kind"], ActivityKind>;

function deedsOf(event: Event): Deed[] {
  switch (event.kind) {
    case "repository.created":
      return [{ kind: "create_repo", refName: "", content: "" }];
    case "repository.renamed":
      return [{ kind: "rename_repo", refName: "", content: `${event.repository.owner.name}/${event.oldName}` }];
    case "repository.transferred":
      // Users who see the repository now need not know its former owner.
      return [{ kind: "transfer_repo", refName: "", content: "" }];
    case "release.published":
      return [{ kind: "publish_release", refName: tagPrefix + event.release.tagName, content: "" }];
    case "refs.moved":
      return event.refs.slice(0, maxRefsOfPush).flatMap(deedOfRef);
    default:
      return [];
  }
}

function deedOfRef({ name, oldOid, newOid }: MovedRef): Deed[] {
  const kind = kindOf(name, newOid);
  return kind === null ? [] : [{ kind, refName: name, content: JSON.stringify({ old: oldOid, new: newOid }) }];
}

function kindOf(name: string, newOid: string | null): ActivityKind | null {
  if (name.startsWith(branchPrefix)) {
    return newOid === null ? "delete_branch" : "commit_repo";
  }
  return name.startsWith(tagPrefix) ? (newOid === null ? "delete_tag" : "push_tag") : null;
}
