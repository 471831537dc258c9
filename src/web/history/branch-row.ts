import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import type { StatusState } from "../../db/schema/statuses.ts";
import type { AheadBehind } from "../../git/graph/ahead-behind.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import { html, type Html } from "../html.ts";
import { archiveLink, checksLink, commitLink, compareLink, repositoryLink, sourceLink, issueLink } from "../links.ts";
import { checkMark } from "../parts/check-mark.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { commitTitle } from "../repos/commit-title.ts";
import type { Visit } from "../visit.ts";
import { committed } from "../parts/person.ts";

/** A branch as its row shows it. */
export interface ShownBranch {
  readonly name: string;
  readonly isDefault: boolean;
  readonly isProtected: boolean;
  readonly commit: CommitRecord | undefined;
  readonly author: OwnerRow | null;
  readonly state: StatusState | undefined;
  /** Against the default branch; undefined for that one. */
  readonly distance: AheadBehind | undefined;
  /** The number of the open pull request from it. */
  readonly pull: number | undefined;
  /** What the visitor may do to it. null: nothing, as they may not write. */
  readonly rights: { readonly refusedDeletion: string | null; readonly refusedRename: string | null } | null;
}

/** Larger numbers say nothing more. */
const mostCounted = 1000;

function count(number: number, isWhole: boolean): string {
  return number >= mostCounted ? "1,000+" : `${wholeNumber(number)}${isWhole ? "" : "+"}`;
}

function distanceOf({ ahead, behind, isWhole }: AheadBehind, main: string): Html {
  const words = `${count(ahead, isWhole)} ahead of ${main}, ${count(behind, isWhole)} behind`;
  return html`<span class="distance num" title="${words}"><span class="sr">${words}</span><span aria-hidden="true">↓${count(behind, isWhole)}</span><svg viewBox="0 0 96 6" aria-hidden="true"><rect x="${47 - bar(behind)}" width="${bar(behind)}" height="6" class="behind"/><rect x="49" width="${bar(ahead)}" height="6" class="ahead"/></svg><span aria-hidden="true">↑${count(ahead, isWhole)}</span></span>`;
}

/** The length of a bar, which grows more slowly than the number. */
function bar(number: number): number {
  return Math.round((47 * Math.log1p(Math.min(number, mostCounted))) / Math.log1p(mostCounted));
}

function actions(visit: Visit, access: RepositoryAccess, branch: ShownBranch, index: number): Html {
  const { name, isDefault, rights } = branch;
  const base = repositoryLink(visit.root, access);
  const ref = { kind: "branch", name } as const;
  const id = `branch-menu-${index}`;
  const named = new URLSearchParams({ name }).toString();
  const changes =
    rights === null
      ? null
      : html`<hr><a href="${base}/branches/new?${new URLSearchParams({ from: name }).toString()}">${icon(visit, "git-branch")}New branch from here</a>
        ${rights.refusedRename === null ? html`<a href="${base}/branches/rename?${named}">${icon(visit, "pencil")}Rename</a>` : html`<p class="pad soft small">It cannot be renamed: ${rights.refusedRename}.</p>`}
        ${rights.refusedDeletion === null ? html`<form method="post" action="${base}/branches/delete">${visit.formField()}<input type="hidden" name="name" value="${name}"><button class="red">${icon(visit, "trash-2")}Delete</button></form>` : html`<p class="pad soft small">It cannot be deleted: ${rights.refusedDeletion}.</p>`}`;
  return html`<button type="button" class="button s bare icon" popovertarget="${id}" aria-label="Actions for ${name}">${icon(visit, "ellipsis")}</button>
    <div class="menu" id="${id}" popover><a href="${sourceLink(visit.root, access, ref, "", "commits")}" rel="nofollow">${icon(visit, "history")}Commits</a>
    ${!isDefault && html`<a href="${compareLink(visit.root, access, access.repository.defaultBranch, name)}" rel="nofollow">${icon(visit, "git-compare")}Compare</a>`}
    <a rel="nofollow" href="${archiveLink(visit.root, access, name, "zip")}">${icon(visit, "file-archive")}Download zip</a>${changes}</div>`;
}

/** A branch in the list of them. */
export function branchRow(visit: Visit, access: RepositoryAccess, branch: ShownBranch, index: number): Html {
  const { name, commit, distance, pull } = branch;
  const last =
    commit === undefined
      ? null
      : html`<div class="line small soft">${committed(visit, branch.author, commit.author.name)}<a class="cut soft grow" href="${commitLink(visit.root, access, commit.oid)}" dir="auto">${commitTitle(commit.message)}</a>${ago(visit, new Date(commit.committer.seconds * 1000))}</div>`;
  return html`<li><div class="grow stack s"><div class="line flow"><a class="ref" href="${sourceLink(visit.root, access, { kind: "branch", name }, "")}">${name}</a>
    ${branch.isDefault && html`<span class="tag">default</span>`}${branch.isProtected && html`<span class="tag">${icon(visit, "shield-check")}protected</span>`}
    ${pull !== undefined && html`<a class="tag" href="${issueLink(visit.root, access, { isPull: true, number: pull })}">${icon(visit, "git-pull-request")}#${pull}</a>`}${commit !== undefined && checkMark(visit, branch.state, checksLink(visit.root, access, commit.oid))}</div>${last}</div>
    ${distance !== undefined && distanceOf(distance, access.repository.defaultBranch)}${actions(visit, access, branch, index)}</li>`;
}
