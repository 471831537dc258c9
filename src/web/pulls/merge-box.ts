import type { RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Mergeability } from "../../db/schema/pulls.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { havePassed } from "../../domain/work/merges/merge-gate.ts";
import type { MovingStyle } from "../../domain/work/merges/merge-styles.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import { html, type Html } from "../html.ts";
import { commitLink, issueLink } from "../links.ts";
import { offers } from "../offers.ts";
import { movesPulls, writesCode } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import type { LoadedPull } from "./load-pull.ts";

const styleWords: readonly (readonly [MovingStyle, keyof RepositoryRow, string])[] = [
  ["merge", "allowMergeCommits", "Make a merge commit"],
  ["squash", "allowSquashMerge", "Squash into one commit"],
  ["rebase", "allowRebase", "Rebase, then fast-forward"],
  ["rebase-merge", "allowRebaseExplicit", "Rebase, then make a merge commit"],
  ["fast-forward-only", "allowFastForwardOnlyMerge", "Fast-forward only"],
];

const mergeability: Readonly<Record<Mergeability, string>> = {
  checking: "Whether it merges is being worked out",
  mergeable: "It merges without conflicts",
  conflict: "It has conflicts with its base",
  empty: "Its base has all of it",
  error: "Whether it merges could not be worked out",
};

/** The styles in which the repository lets pull requests be merged. */
export function allowedStyles({ repository }: RepositoryAccess): (readonly [style: MovingStyle, words: string])[] {
  return styleWords.flatMap(([style, allowed, words]) =>
    repository[allowed] === true ? [[style, words] as const] : [],
  );
}

function line(
  visit: Visit,
  colour: string,
  name: "circle-check" | "circle-alert" | "clock" | "circle-dot",
  content: Html,
): Html {
  return html`<li><span class="${colour}">${icon(visit, name)}</span><div class="grow">${content}</div></li>`;
}

function checks(visit: Visit, { statuses }: LoadedPull): Html | null {
  if (statuses.length === 0) {
    return null;
  }
  const isDone = havePassed(statuses);
  const isBad = statuses.some(({ state }) => state === "failure" || state === "error");
  const list = statuses.map(
    ({ context, state }) =>
      html`<li><span class="grow cut" dir="auto">${context}</span><span class="soft">${state}</span></li>`,
  );
  return line(
    visit,
    isDone ? "green" : isBad ? "red" : "amber",
    isDone ? "circle-check" : isBad ? "circle-alert" : "clock",
    html`<details${!isDone && html` open`}><summary>${isDone ? "All checks passed" : isBad ? "Some checks failed" : "Checks are running"}</summary><ul class="checks small">${list}</ul></details>`,
  );
}

function state(visit: Visit, { pull }: LoadedPull): Html {
  const { mergeability: value, conflictedFiles } = pull;
  const isGood = value === "mergeable";
  const files = conflictedFiles.map((path) => html`<li><code>${path}</code></li>`);
  return line(
    visit,
    isGood ? "green" : value === "checking" ? "amber" : "red",
    isGood ? "circle-check" : value === "checking" ? "clock" : "circle-alert",
    html`${mergeability[value]}${files.length > 0 && html`<ul class="checks small">${files}</ul>`}`,
  );
}

function updateForm(visit: Visit, address: string, { pull }: LoadedPull): Html | null {
  return pull.behindCount === 0
    ? null
    : line(
        visit,
        "faint",
        "circle-dot",
        html`<form class="split flow" method="post" action="${address}/update">${visit.formField()}<span>The base has ${pull.behindCount} more ${pull.behindCount === 1 ? "commit" : "commits"}</span><button class="button s">Update the branch</button></form>`,
      );
}

function mergeForm(visit: Visit, access: RepositoryAccess, address: string, loaded: LoadedPull): Html {
  const { pull, statuses } = loaded;
  const { defaultMergeStyle, defaultDeleteBranchAfterMerge } = access.repository;
  const options = allowedStyles(access).map(
    ([style, words]) =>
      html`<option value="${style}"${style === defaultMergeStyle && html` selected`}>${words}</option>`,
  );
  const waits = statuses.length > 0 && !havePassed(statuses);
  return html`<form class="stack s" method="post" action="${address}/merge">${visit.formField()}<input type="hidden" name="head" value="${pull.headOid}">
    <div class="line flow"><select class="auto" name="style" aria-label="How to merge">${options}</select><button class="button main">${icon(visit, "git-merge")}Merge</button>${waits && html`<button class="button" name="when" value="checks">Merge when all checks succeed</button>`}</div>
    <details><summary class="small"><span class="link">Message and branch</span></summary><div class="stack s"><label class="field"><span>Title</span><input type="text" name="title" dir="auto" maxlength="1000" placeholder="As the repository's template or the usual one says"></label><label class="field"><span>Text</span><textarea name="message" dir="auto" rows="3"></textarea></label>
    <label class="choice"><input type="checkbox" name="delete" value="1"${defaultDeleteBranchAfterMerge && html` checked`}> Delete the branch afterwards</label>${access.mode >= accessModes.admin && html`<label class="choice"><input type="checkbox" name="force" value="1"> Merge in spite of missing reviews and checks</label>`}</div></details></form>`;
}

/** Whether a pull request can be merged, why not, and the form that does it. Nothing for one that was closed. */
export function mergeBox(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
  loaded: LoadedPull,
): Html | null {
  const { pull, scheduled } = loaded;
  const address = issueLink(visit.root, access, issue);
  if (pull.mergedAt !== null) {
    const commit = pull.mergeCommitOid;
    return html`<section class="panel merge" aria-label="Merge"><ul class="rows">${line(visit, "violet", "circle-check", html`Merged ${ago(visit, pull.mergedAt)}${commit !== null && html` as <a href="${commitLink(visit.root, access, commit)}"><code>${commit.slice(0, 10)}</code></a>`}`)}</ul></section>`;
  }
  if (issue.closedAt !== null) {
    return null;
  }
  const isDraft = isDraftTitle(issue.title, forge.config.pulls.draft_prefixes);
  const [mayMerge, mayUpdate] = [offers(visit, writesCode), offers(visit, movesPulls)];
  const draft = isDraft
    ? line(
        visit,
        "faint",
        "circle-dot",
        html`<form class="split flow" method="post" action="${address}/ready">${visit.formField()}<span>It is a draft</span>${mayUpdate && html`<button class="button s">Ready for review</button>`}</form>`,
      )
    : null;
  const waiting =
    scheduled === null
      ? null
      : line(
          visit,
          "amber",
          "clock",
          html`<form class="split flow" method="post" action="${address}/merge">${visit.formField()}<span>It is merged as soon as all checks succeed</span>${mayMerge && html`<button class="button s" name="when" value="never">Take that back</button>`}</form>`,
        );
  return html`<section class="panel merge" aria-label="Merge"><ul class="rows">${draft}${checks(visit, loaded)}${state(visit, loaded)}${mayUpdate && updateForm(visit, address, loaded)}${waiting}</ul>${mayMerge && !isDraft && scheduled === null && pull.mergeability === "mergeable" && html`<footer>${mergeForm(visit, access, address, loaded)}</footer>`}</section>`;
}
