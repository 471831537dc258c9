import type { Static } from "elysia";
import type { TimelineComment } from "./timeline-schema.ts";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { FoundEntry } from "../../domain/work/comments/timeline-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { presentIssue } from "../issues/present.ts";
import { presentLabel } from "../labels/present.ts";
import { presentMilestone } from "../milestones/present.ts";
import { presentTime } from "../times/present.ts";
import { durationInWords } from "../../lib/duration.ts";
import { presentTeam } from "../teams/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";
import { presentComment, presentPlaces } from "./present.ts";

const dayOf = (instant: string | null) => instant?.slice(0, 10) ?? "";

const hexOf = (oid: Uint8Array | null) => (oid === null ? "" : Buffer.from(oid).toString("hex"));

/** Returns the text that the family writes into the body of an entry without text. */
function bodyOf(
  { addresses }: Pick<Forge, "addresses">,
  { comment: { kind, body, added, oldText, newText, commitOid, seconds }, commitHome: home }: FoundEntry,
): string {
  switch (kind) {
    case "commit_ref": {
      const page = home === null ? "" : addresses.commit(home.owner.name, home.repository.name, hexOf(commitOid));
      return `<a href="${page}">${Bun.escapeHTML(body)}</a>`;
    }
    case "label":
      return added === true ? "1" : "";
    case "added_deadline":
      return dayOf(newText);
    case "modified_deadline":
      return `${dayOf(newText)}|${dayOf(oldText)}`;
    case "removed_deadline":
      return dayOf(oldText);
    case "stop_tracking":
    case "add_time_manual":
    case "delete_time_manual":
      return durationInWords(seconds ?? 0);
    default:
      return body;
  }
}

/** An entry of a timeline as the family's TimelineComment. */
export function presentEntry(
  forge: Pick<Forge, "addresses" | "config">,
  access: RepositoryAccess,
  issue: IssueRow,
  entry: FoundEntry,
  viewer: Actor | null,
): Static<typeof TimelineComment> {
  const { comment, author, assignee, label, milestone, oldMilestone, otherIssue, otherComment, time } = entry;
  const { addresses } = forge;
  const { kind, oldText, newText } = comment;
  const other = otherIssue === null ? null : presentIssue(forge, otherIssue.home, otherIssue, viewer);
  const isDependency = kind === "add_dependency" || kind === "remove_dependency";
  const [isTitle, isRef] = [kind === "change_title", kind === "change_issue_ref" || kind === "change_target_branch"];
  return {
    assignee: assignee === null ? null : presentOwner(addresses, assignee, viewer),
    assignee_team: entry.team === null ? null : presentTeam(addresses, entry.team, viewer),
    body: bodyOf(forge, entry),
    created_at: presentInstant(comment.createdAt),
    dependent_issue: isDependency ? other : null,
    ...presentPlaces(addresses, access, issue, comment.id),
    id: comment.id,
    label: label === null ? null : presentLabel(addresses, access, label),
    milestone: milestone === null ? null : presentMilestone(milestone),
    new_ref: isRef ? (newText ?? "") : "",
    new_title: isTitle ? (newText ?? "") : "",
    old_milestone: oldMilestone === null ? null : presentMilestone(oldMilestone),
    old_project_id: 0,
    old_ref: isRef ? (oldText ?? "") : "",
    old_title: isTitle ? (oldText ?? "") : "",
    project_id: 0,
    ref_action: comment.refAction ?? "",
    ref_comment:
      otherComment === null || otherIssue === null
        ? null
        : presentComment(addresses, otherIssue.home, otherComment, viewer),
    ref_commit_sha: hexOf(comment.commitOid),
    ref_issue: isDependency ? null : other,
    removed_assignee: (kind === "assignees" || kind === "review_request") && comment.added === false,
    resolve_doer: entry.resolver === null ? null : presentOwner(addresses, entry.resolver, viewer),
    review_id: comment.reviewId ?? 0,
    tracked_time: time === null ? null : presentTime(time.row, time.user),
    type: kind,
    updated_at: presentInstant(comment.updatedAt),
    user: author === null ? null : presentOwner(addresses, author, viewer),
  };
}
