import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { compareStates, findChangesSince } from "../../domain/work/reviews/changes-since.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { RangePair } from "../../git/operations/range-diff.ts";
import { diffView } from "../code/diff-view.ts";
import { readDiff } from "../code/read-diff.ts";
import { html, type Html } from "../html.ts";
import { commitLink, issueLink } from "../links.ts";
import { empty, note } from "../parts/note.ts";
import { counted } from "../parts/size.ts";
import { commitTitle } from "../repos/commit-title.ts";
import type { Visit } from "../visit.ts";
import type { LoadedPull } from "./load-pull.ts";

/** The pairs of a comparison by what became of them. */
const kinds = {
  same: { sign: "=", words: "as it was", colour: "" },
  changed: { sign: "≠", words: "changed", colour: "amber" },
  gone: { sign: "−", words: "gone", colour: "red" },
  added: { sign: "+", words: "new", colour: "green" },
} as const;

function kindOf({ before, after, isSame }: RangePair): keyof typeof kinds {
  return before === null ? "added" : after === null ? "gone" : isSame ? "same" : "changed";
}

function oidOf(commit: CommitRecord | null): Html {
  return html`<span class="oid">${commit === null ? "—" : commit.oid.slice(0, 10)}</span>`;
}

const lineClass = (line: string): string => (line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : "");

/** How the patch of a commit differs from that of its counterpart: each line begins with what became of it, then with its own sign. */
function patchChanges({ hunks, isCut }: RangePair): Html {
  const parts = hunks.map(
    ({ heading, lines }) =>
      html`<figure class="snippet">${heading !== "" && html`<figcaption><span class="path">${heading}</span></figcaption>`}<pre tabindex="0" aria-label="Lines">${lines.map((line) => html`<span class="${lineClass(line)}">${line}</span>\n`)}</pre></figure>`,
  );
  return html`${parts}${isCut && html`<p class="body soft">The difference is longer than what is shown here.</p>`}`;
}

function row(visit: Visit, access: RepositoryAccess, pair: RangePair): Html {
  const { before, after } = pair;
  const kind = kindOf(pair);
  const { words, colour } = kinds[kind];
  const shown = (after ?? before)!;
  const title = commitTitle(shown.message);
  const name = html`<b dir="auto">${title}</b>`;
  const linked =
    after === null ? name : html`<a class="plain" href="${commitLink(visit.root, access, after.oid)}">${name}</a>`;
  const line = (of: Html) =>
    html`${oidOf(before)}<span aria-hidden="true">→</span>${oidOf(after)}<span class="grow cut">${of}</span><span class="tag ${colour}">${words}</span>`;
  return kind === "changed"
    ? html`<li><details class="grow" open><summary class="line">${line(name)}</summary>${patchChanges(pair)}</details></li>`
    : html`<li>${line(linked)}</li>`;
}

function summary(pairs: readonly RangePair[]): string {
  const parts = (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) => {
    const count = pairs.filter((pair) => kindOf(pair) === kind).length;
    return count === 0 ? [] : [`${count} ${kinds[kind].words}`];
  });
  return `${counted(pairs.length, "commit")}: ${parts.join(", ")}.`;
}

/**
 * What changed in a pull request between two of its states, commit by commit, where its history was rewritten; null where it was not: then
 * the files tell it.
 */
export async function changesSince(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  { issue, loaded }: { issue: IssueRow; loaded: LoadedPull },
  range: { from: string; to: string },
): Promise<Html | null> {
  const { pull } = loaded;
  const { signal } = visit.request;
  const found = await findChangesSince(forge, access, { issue, pull }, range, signal);
  const { from, to, isForward, view } = found;
  if (isForward && from !== to) {
    return null;
  }
  const all = html`<a href="${issueLink(visit.root, access, issue)}/files">All changes</a>`;
  const between = html`<p class="tools"><span class="grow">Changes from <span class="oid">${from.slice(0, 10)}</span> to <span class="oid">${to.slice(0, 10)}</span>${to !== pull.headOid && ", which is not the last state"}.</span>${all}</p>`;
  if (from === to) {
    return html`${between}${empty(visit, "git-compare", "Nothing changed", "Both are the same state.")}`;
  }
  const pairs = await compareStates(forge, { pull }, found, signal);
  if (pairs === null) {
    const files = await readDiff(forge, visit, {
      view,
      before: { access, commit: from },
      after: { access, commit: to },
    });
    return html`${between}${note(visit, "info", "The history was rewritten, and has more commits than are compared one by one. These are the differences of the files.")}${diffView(visit, files)}`;
  }
  return html`${between}<div class="stack">${note(visit, "info", "The history was rewritten. Commits stand beside their former versions; below them is how their patches differ.")}
<p class="soft">${summary(pairs)}</p><ul class="panel edge rows">${pairs.map((pair) => row(visit, access, pair))}</ul></div>`;
}
