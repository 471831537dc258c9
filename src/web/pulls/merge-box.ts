import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { mayWriteIssue } from "../../domain/work/issues/access.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { havePassed } from "../../domain/work/merges/merge-gate.ts";
import type { MergeProspect } from "../../domain/work/merges/merge-prospect.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import { html, type Html } from "../html.ts";
import { commitLink, compareLink, issueLink } from "../links.ts";
import { offers } from "../offers.ts";
import { movesPulls, writesCode } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { changesPart } from "./changes-part.ts";
import { commandLines } from "./command-lines.ts";
import type { LoadedMerge, LoadedPull } from "./load-pull.ts";
import { mergeLine } from "./merge-line.ts";
import {
  behindLine,
  checksLine,
  conflictLine,
  otherLines,
  overridersWords,
  reviewLines,
  type MergeSubject,
} from "./merge-lines.ts";
import { allowedStyles } from "./merge-styles.ts";

interface Box {
  readonly access: RepositoryAccess;
  readonly issue: IssueRow;
  readonly address: string;
  readonly loaded: LoadedPull;
  readonly merge: LoadedMerge;
}

/** Whether the visitor may change title, base and state: as its author, or as one who may write pull requests. */
function maySteer(visit: Visit, { access, issue }: Box): boolean {
  const isAuthor = issue.authorId !== null && issue.authorId === visit.actor?.id;
  return offers(visit, movesPulls) && (isAuthor || mayWriteIssue(access, issue));
}

function draftLine(visit: Visit, box: Box): Html {
  const form = html`<form class="line flow" method="post" action="${box.address}/ready">${visit.formField()}<button class="button s">Ready for review</button></form>`;
  return mergeLine(
    visit,
    "waits",
    "It is a draft, so nobody can merge it",
    maySteer(visit, box) ? form : "Its author, and those who may write pull requests, can say that it is ready.",
  );
}

function scheduledLine(visit: Visit, { address }: Box, mayMerge: boolean): Html {
  return mergeLine(
    visit,
    "waits",
    "It is merged as soon as all checks succeed",
    mayMerge &&
      html`<form method="post" action="${address}/merge">${visit.formField()}<button class="button s" name="when" value="never">Take that back</button></form>`,
  );
}

/** The form that merges. What the rules have against it, an administrator overrides with a button of its own. */
function mergeForm(visit: Visit, box: Box, prospect: MergeProspect): Html {
  const { access, address, loaded } = box;
  const { obstacles } = prospect;
  const statuses = loaded.checks.rows.map(({ status }) => status);
  const waits = !havePassed(statuses) && (statuses.length > 0 || prospect.rule?.enableStatusCheck === true);
  const mayForce = access.mode >= accessModes.admin && obstacles.every(({ isOverridable }) => isOverridable);
  const options = allowedStyles(access).map(({ style, words }) => html`<option value="${style}">${words}</option>`);
  const previews = allowedStyles(access).map(
    ({ style, short }) => html`<a class="tag" href="${address}/merge?style=${style}" rel="nofollow">${short}</a>`,
  );
  const button =
    obstacles.length === 0
      ? html`<button class="button main">${icon(visit, "git-merge")}Merge</button>`
      : mayForce &&
        html`<button class="button danger" name="force" value="1">${icon(visit, "git-merge")}Merge in spite of the rules</button>`;
  const later = waits && html`<button class="button" name="when" value="checks">Merge when all checks succeed</button>`;
  const isOffered = button !== false || later !== false;
  const form = html`<form class="stack s" method="post" action="${address}/merge">${visit.formField()}<input type="hidden" name="head" value="${loaded.pull.headOid}"><input type="hidden" name="base" value="${loaded.pull.baseBranch}">
    <div class="line flow"><select class="auto" name="style" aria-label="How to merge">${options}</select>${button}${later}</div>
    <label class="choice"><input type="checkbox" name="delete" value="1"${access.repository.defaultDeleteBranchAfterMerge && html` checked`}> Delete the branch afterwards</label></form>`;
  return html`${isOffered ? form : html`<p>It cannot be merged yet: what is in the way is said above.</p>`}<p class="line flow small soft">Preview and message: ${previews}</p>`;
}

/** What became of it, and what can be done with its branch. */
function endedBox(visit: Visit, box: Box): Html {
  const { access, address, issue, loaded, merge } = box;
  const { pull } = loaded;
  const { mergeCommitOid: commit, mergedAt, headBranch, baseBranch } = pull;
  const act = (path: string, words: string) =>
    html`<form method="post" action="${address}/${path}">${visit.formField()}<button class="button s">${words}</button></form>`;
  const isOwn = merge.head?.repository.id === access.repository.id;
  const mayWrite = offers(visit, writesCode);
  const hasAll = pull.mergedAt !== null && merge.headTip === pull.headOid;
  const told =
    mergedAt === null
      ? mergeLine(
          visit,
          "told",
          "It was closed without a merge",
          "The form below can open it again, while its branch is there.",
        )
      : mergeLine(
          visit,
          "merged",
          html`Merged ${ago(visit, mergedAt)}${commit !== null && html` as <a href="${commitLink(visit.root, access, commit)}"><code>${commit.slice(0, 10)}</code></a>`}`,
          mayWrite &&
            commit !== null &&
            html`<div class="line flow">${act("revert", "Revert")}<span class="small">makes a branch and a pull request that take the changes back</span></div>`,
        );
  const branch =
    pull.flow !== "branch" || merge.head === null
      ? null
      : merge.headTip === null
        ? mergeLine(
            visit,
            "told",
            html`The branch <code>${headBranch}</code> is deleted`,
            mayWrite && isOwn && act("branch/restore", "Restore the branch"),
          )
        : mergeLine(
            visit,
            "told",
            html`The branch <code>${headBranch}</code> is still there${mergedAt !== null && !hasAll && html`, and has moved since`}`,
            mayWrite && isOwn && headBranch !== access.repository.defaultBranch
              ? html`<div class="line flow">${act("branch/delete", "Delete the branch")}${mergedAt !== null && !hasAll && html`<a class="button s" href="${compareLink(visit.root, access, baseBranch, headBranch)}" rel="nofollow">Compare it with ${baseBranch}</a>`}</div>`
              : null,
          );
  return html`<section class="panel merge" aria-label="Merge"><ul class="rows">${told}${branch}</ul>${mergedAt === null && issue.closedAt !== null && html`<footer>${commandLines(visit, access, issue, loaded.pull, merge.head)}</footer>`}</section>`;
}

/** What a merge needs and does not have, who can do what about it, and the form that merges. */
export function mergeBox(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  { loaded, merge }: { loaded: LoadedPull; merge: LoadedMerge },
): Html {
  const address = issueLink(visit.root, access, issue);
  const box: Box = { access, issue, address, loaded, merge };
  const { prospect } = merge;
  if (prospect === null) {
    return endedBox(visit, box);
  }
  const isDraft = isDraftTitle(issue.title, forge.config.pulls.draft_prefixes);
  const isOffered = offers(visit, movesPulls);
  const mayMerge = offers(visit, writesCode);
  const mayUpdate = isOffered && merge.headTip !== null;
  const subject: MergeSubject = { access, address, loaded, prospect, mayUpdate };
  const overriders = overridersWords(subject);
  const canMerge =
    !isDraft && merge.scheduled === null && loaded.pull.mergeability === "mergeable" && !prospect.isBlocked;
  const foot = mayMerge
    ? canMerge && mergeForm(visit, box, prospect)
    : html`<p class="soft">Those who may write to the code of the repository can merge it.</p>`;
  return html`<section class="panel merge" aria-label="Merge"><ul class="rows">${isDraft && draftLine(visit, box)}${reviewLines(visit, subject)}${checksLine(visit, subject)}${conflictLine(visit, subject)}${behindLine(visit, subject)}${otherLines(visit, subject)}${merge.scheduled !== null && scheduledLine(visit, box, mayMerge)}</ul><footer class="stack s">${foot}${overriders !== null && !isDraft && html`<p class="small soft">${overriders}</p>`}${changesPart(visit, box, { isDraft, maySteer: maySteer(visit, box), mayMerge })}${commandLines(visit, access, issue, loaded.pull, merge.head)}</footer></section>`;
}
