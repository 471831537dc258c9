import type { ActivityKind } from "../../db/schema/social.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { movedBranch } from "../../domain/work/activities/pushed-commits.ts";
import type { Deed } from "../../domain/work/activities/queries.ts";
import type { DeedSubject } from "../../domain/work/activities/subject-queries.ts";
import type { PushedCommitsResult } from "../../git/operations/pushed-commits.ts";
import { clip } from "../../lib/show-value.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { commitLink, issueLink, repositoryLink, sourceLink } from "../links.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { avatar } from "./avatar.ts";
import { ago } from "./time.ts";
import { userName } from "./person.ts";

/** A deed, with what it brought and what it was about. */
export interface ShownDeed {
  readonly deed: Deed;
  readonly pushed: PushedCommitsResult | null;
  readonly subject: DeedSubject | null;
}

const mostCommits = 3;
const longestText = 200;

/** What was done in an issue or pull request; the words stand before its number. */
const inIssue: Partial<Record<ActivityKind, string>> = {
  create_issue: "opened issue",
  comment_issue: "commented on issue",
  close_issue: "closed issue",
  reopen_issue: "reopened issue",
  create_pull_request: "opened pull request",
  comment_pull: "commented on pull request",
  close_pull_request: "closed pull request",
  reopen_pull_request: "reopened pull request",
  merge_pull_request: "merged pull request",
  auto_merge_pull_request: "merged, as soon as its checks passed, pull request",
  approve_pull_request: "approved pull request",
  reject_pull_request: "asked for changes of pull request",
  pull_review_dismissed: "dismissed a review of pull request",
  pull_request_ready_for_review: "asked for reviews of pull request",
};

/** What was done to a branch or tag; the words stand before its name. */
const toRef: Partial<Record<ActivityKind, string>> = {
  commit_repo: "pushed to",
  push_tag: "pushed tag",
  delete_tag: "deleted tag",
  delete_branch: "deleted branch",
  mirror_sync_push: "synced",
  mirror_sync_create: "synced new",
  mirror_sync_delete: "synced the end of",
  publish_release: "released",
};

/** What was done to the repository itself; the words stand before its name. */
const toRepository: Partial<Record<ActivityKind, string>> = {
  create_repo: "created",
  rename_repo: "renamed to",
  star_repo: "starred",
  watch_repo: "watches",
  transfer_repo: "transferred",
};

function refName(reader: Reader, { activity, access }: Deed): Html {
  const [, kind, name = ""] = /^refs\/(heads|tags)\/([^]*)$/.exec(activity.refName) ?? [];
  const content = html`<bdi>${name}</bdi>`;
  if (activity.kind.includes("delete")) {
    return html`<span class="ref">${content}</span>`;
  }
  const revision = { kind: kind === "heads" ? "branch" : "tag", name };
  return html`<a class="ref" href="${sourceLink(reader.root, access, revision, "")}">${content}</a>`;
}

/** What was done, in words that follow the name of the one who did it. */
export function deedWords(reader: Reader, { deed, subject }: ShownDeed): Html {
  const { activity, access } = deed;
  const base = repositoryLink(reader.root, access);
  const place = html`<a class="plain" href="${base}"><b>${access.owner.name}/${access.repository.name}</b></a>`;
  const ofIssue = inIssue[activity.kind];
  if (ofIssue !== undefined && subject !== null) {
    const named = { number: subject.number, isPull: ofIssue.endsWith("pull request") };
    return html`${ofIssue} <a href="${issueLink(reader.root, access, named)}">#${subject.number}</a> in ${place}`;
  }
  const ofRef = toRef[activity.kind];
  if (ofRef !== undefined) {
    // Whoever may not see the code is told that it changed, but not how.
    return access.units.code < accessModes.read
      ? html`changed the code of ${place}`
      : html`${movedBranch(deed)?.old === null ? "created branch" : ofRef} ${refName(reader, deed)} in ${place}`;
  }
  return html`${toRepository[activity.kind] ?? "worked on"} ${place}`;
}

/** The commits or the text that it brought; null for nothing. */
export function deedDetail(reader: Reader, { deed, pushed, subject }: ShownDeed): Html | null {
  const { access } = deed;
  if (pushed !== null && pushed.commits.length > 0 && access.units.code >= accessModes.read) {
    const lines = pushed.commits
      .slice(0, mostCommits)
      .map(
        ({ oid, message }) =>
          html`<li class="line"><a class="oid" href="${commitLink(reader.root, access, oid)}">${oid.slice(0, 10)}</a><span class="cut" dir="auto">${commitTitle(message)}</span></li>`,
      );
    const more = pushed.total - lines.length;
    return html`<ul class="said">${lines}${more > 0 && html`<li class="faint">and ${more} more</li>`}</ul>`;
  }
  if (subject === null || subject.title === "") {
    return null;
  }
  const said = subject.comment?.comment.body ?? subject.review?.body ?? "";
  return html`<p class="said cut" dir="auto">${clip(said === "" ? subject.title : `${subject.title}: ${said.replaceAll(/\s+/g, " ")}`, longestText)}</p>`;
}

/** What people did, the newest first. */
export function deedList(reader: Reader, list: readonly ShownDeed[]): Html {
  const rows = list.map((shown) => {
    const { actor, activity } = shown.deed;
    return html`<li>${avatar(reader, actor)}<div class="grow"><p>${userName(reader, actor)} ${deedWords(reader, shown)} <span class="faint">${ago(reader, activity.at)}</span></p>${deedDetail(reader, shown)}</div></li>`;
  });
  return html`<ul class="deeds">${rows}</ul>`;
}
