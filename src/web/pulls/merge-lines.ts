import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Mergeability } from "../../db/schema/pulls.ts";
import type { MergeObstacle } from "../../domain/git/protections/decide-change.ts";
import { havePassed } from "../../domain/work/merges/merge-gate.ts";
import type { MergeProspect } from "../../domain/work/merges/merge-prospect.ts";
import { checkLine, withRequired } from "../checks/check-rows.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import type { LoadedPull } from "./load-pull.ts";
import { mergeLine, type Standing } from "./merge-line.ts";
import { lastOfEach, reviewerName } from "./reviewers.ts";

/** What the lines of a merge box are about. */
export interface MergeSubject {
  readonly access: RepositoryAccess;
  /** The page of the pull request. */
  readonly address: string;
  readonly loaded: LoadedPull;
  readonly prospect: MergeProspect;
  /** Whether the visitor may bring the base into the head, as far as the repository goes. */
  readonly mayUpdate: boolean;
}

/** Checks that are shown in the box; their page has all. */
const fewChecks = 12;

function names(list: readonly string[]): Html | null {
  return list.length === 0 ? null : html`${list.map((name, index) => html`${index > 0 && ", "}<b>${name}</b>`)}`;
}

/** Said of what nobody overrides. Below all lines stands who overrides the others. */
function firm({ isOverridable }: MergeObstacle): string | null {
  return isOverridable ? null : " Nobody can merge in spite of that.";
}

/** Who may merge in spite of what the rules say; null: nobody, or the rules say nothing. */
export function overridersWords({ access, prospect }: MergeSubject): string | null {
  const { obstacles } = prospect;
  if (obstacles.length === 0 || obstacles.some(({ isOverridable }) => !isOverridable)) {
    return null;
  }
  return access.mode >= accessModes.admin
    ? "As an administrator of the repository, you can merge in spite of its rules."
    : "Administrators of the repository can merge in spite of its rules.";
}

function ruleName({ prospect }: MergeSubject): Html {
  return html`The rule for <code>${prospect.rule?.ruleName ?? ""}</code>`;
}

/** What a rule wants of reviews, and who is asked. */
export function reviewLines(visit: Visit, subject: MergeSubject): Html[] {
  const { loaded, prospect } = subject;
  const { rule, approvals, obstacles } = prospect;
  const last = lastOfEach(loaded.reviews);
  const of = (kind: "approve" | "request-changes" | "request") =>
    last.filter(({ review }) => review.kind === kind && !review.dismissed).map(reviewerName);
  const obstacle = (kind: MergeObstacle["kind"]) => obstacles.find((one) => one.kind === kind);
  const who = rule?.enableApprovalsList === true ? "those on its list of reviewers" : "those who may write to the code";
  const asked = names(of("request"));
  const lines: Html[] = [];
  const missing = obstacle("approvals");
  if (rule !== null && rule.requiredApprovals > 0) {
    const count = `${approvals} of ${rule.requiredApprovals} required approvals`;
    lines.push(
      missing === undefined
        ? mergeLine(visit, "done", count, names(of("approve")))
        : mergeLine(
            visit,
            "waits",
            count,
            html`${ruleName(subject)} counts approvals of ${who}. ${asked !== null && html`Asked: ${asked}.`}${firm(missing)}`,
          ),
    );
  } else if (of("approve").length > 0) {
    lines.push(mergeLine(visit, "done", html`Approved by ${names(of("approve"))}`));
  }
  const against = names(of("request-changes"));
  const rejected = obstacle("rejected");
  if (against !== null) {
    lines.push(
      rejected === undefined
        ? mergeLine(visit, "told", html`${against} asked for changes`, "No rule makes the merge wait for that.")
        : mergeLine(
            visit,
            "bad",
            html`${against} asked for changes`,
            html`They can approve, or somebody who may write to the code dismisses the review.${firm(rejected)}`,
          ),
    );
  }
  const waiting = obstacle("requested");
  if (waiting !== undefined) {
    lines.push(
      mergeLine(
        visit,
        "waits",
        html`The review of ${asked ?? "somebody"} is asked for and not given yet`,
        html`They can review, or whoever asked withdraws the request.${firm(waiting)}`,
      ),
    );
  }
  return lines;
}

/** The checks of the head, those first that a rule wants. */
export function checksLine(visit: Visit, subject: MergeSubject): Html | null {
  const { address, loaded, prospect } = subject;
  const { rows, total } = loaded.checks;
  const shown = withRequired(rows, prospect.checks ?? []);
  const obstacle = prospect.obstacles.find(({ kind }) => kind === "status");
  if (shown.length === 0 && obstacle === undefined) {
    return null;
  }
  const states = rows.map(({ status }) => status);
  const passed = states.filter((status) => havePassed([status])).length;
  const isBad = states.some(({ state }) => state === "failure" || state === "error");
  const required = shown.filter(({ isRequired }) => isRequired).length;
  const isDone = obstacle === undefined && havePassed(states);
  const standing: Standing = isDone ? "done" : isBad ? "bad" : "waits";
  const words =
    shown.length === 0
      ? "No check has reported yet"
      : html`${passed} of ${wholeNumber(Math.max(total, shown.length))} checks passed${required > 0 && html` <span class="soft">· ${required === 1 ? "1 is required" : `${required} are required`}</span>`}`;
  const list = shown.slice(0, fewChecks).map((check) => html`<li class="line">${checkLine(visit, check)}</li>`);
  const who =
    obstacle === undefined
      ? !isDone && "No rule makes the merge wait for them."
      : html`${ruleName(subject)} says: ${obstacle.reason}.${firm(obstacle)}`;
  return mergeLine(
    visit,
    standing,
    html`<details${!isDone && html` open`}><summary>${words}</summary>${list.length > 0 && html`<ul class="checks small">${list}</ul>`}<a class="small" href="${address}/checks" rel="nofollow">All checks and their history</a></details>`,
    who,
  );
}

const mergeability: Readonly<Record<Exclude<Mergeability, "conflict">, string>> = {
  checking: "Whether it merges is being worked out",
  mergeable: "It merges without conflicts",
  empty: "Its base has all of it",
  error: "Whether it merges could not be worked out",
};

/** Whether the two histories go together. */
export function conflictLine(visit: Visit, { address, loaded, mayUpdate }: MergeSubject): Html {
  const { mergeability: value, conflictedFiles, baseBranch } = loaded.pull;
  if (value !== "conflict") {
    const standing = value === "mergeable" ? "done" : value === "checking" ? "waits" : "bad";
    const more = value === "checking" ? "Load the page again in a moment." : null;
    return mergeLine(visit, standing, mergeability[value], more);
  }
  const count = conflictedFiles.length;
  const files = html`<ul class="checks small">${conflictedFiles.map((path) => html`<li><code dir="auto">${path}</code></li>`)}</ul>`;
  return mergeLine(
    visit,
    "bad",
    html`<details open><summary>It has conflicts with <code>${baseBranch}</code> in ${counted(count, "file")}</summary>${files}</details>`,
    mayUpdate
      ? html`<a class="button s" href="${address}/conflicts" rel="nofollow">Resolve the conflicts</a> Or merge the base on your machine, as described below.`
      : "Those who may push to its branch can resolve them.",
  );
}

/** The commits that the base has and the head has not. */
export function behindLine(visit: Visit, subject: MergeSubject): Html | null {
  const { access, address, loaded, prospect, mayUpdate } = subject;
  const { behindCount, baseBranch, mergeability: value } = loaded.pull;
  const obstacle = prospect.obstacles.find(({ kind }) => kind === "outdated");
  if (behindCount === 0) {
    return null;
  }
  const commits = counted(behindCount, "commit");
  const who: HtmlValue = obstacle !== undefined && html`${ruleName(subject)} wants them.${firm(obstacle)}`;
  const buttons =
    mayUpdate && value !== "conflict"
      ? html`<form class="line flow" method="post" action="${address}/update">${visit.formField()}<button class="button s" name="style" value="merge">Update by merge</button>${access.repository.allowRebaseUpdate && html`<button class="button s" name="style" value="rebase">Update by rebase</button>`}</form>`
      : null;
  return mergeLine(
    visit,
    obstacle === undefined ? "told" : "waits",
    html`<code>${baseBranch}</code> has ${commits} that it does not have`,
    buttons === null && who === false ? null : html`${who}${buttons}`,
  );
}

/** What else a rule has against it. */
export function otherLines(visit: Visit, subject: MergeSubject): Html[] {
  const { prospect, loaded } = subject;
  const words: Partial<Record<MergeObstacle["kind"], string>> = {
    "merge-list": `You are not on the list of those who may merge into ${loaded.pull.baseBranch}`,
    signature: "Its commits have to be signed",
    "protected-file": "It changes a protected file",
  };
  const lines = prospect.obstacles.flatMap((obstacle) => {
    const title = words[obstacle.kind];
    const who = obstacle.kind === "merge-list" ? " Those on that list can." : firm(obstacle);
    return title === undefined
      ? []
      : [
          mergeLine(
            visit,
            "bad",
            title,
            html`${ruleName(subject)} says: <span dir="auto">${obstacle.reason}</span>.${who}`,
          ),
        ];
  });
  const blocked = prospect.isBlocked
    ? [
        mergeLine(
          visit,
          "waits",
          "It depends on something open",
          "Close that first, or take the dependency away: see “Depends on”.",
        ),
      ]
    : [];
  return [...lines, ...blocked];
}
