import type { DiffedFile } from "../../git/operations/diff-files.ts";
import { rowsOf } from "../code/diff-rows.ts";
import { diffTable } from "../code/diff-table.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import type { ThreadSetting } from "./thread-view.ts";
import type { ShownComment, ShownPart, ShownThread } from "./threads.ts";

/** The lines of the new side at the end of a hunk, which a suggestion would replace. */
function formerLines(diffHunk: string, count: number): string[] {
  return diffHunk
    .split("\n")
    .slice(1)
    .filter((line) => line.startsWith(" ") || line.startsWith("+"))
    .slice(-count)
    .map((line) => line.slice(1));
}

/** A suggestion as a small diff, with the buttons that apply it where that can be. */
export function suggestionView(
  { visit, rights, hasBatch }: ThreadSetting,
  { place: shownAt, comments: [first] }: ShownThread,
  { comment, place }: ShownComment,
  { index, lines }: ShownPart & { kind: "suggestion" },
): Html {
  const former = formerLines(place.diffHunk, place.originalExtraLines + 1);
  const at = shownAt ?? { line: place.originalLine, extraLines: place.originalExtraLines };
  const start = at.line - at.extraLines;
  const hunk = {
    before: start,
    after: start,
    heading: "",
    lines: [...former.map((line) => `-${line}`), ...lines.map((line) => `+${line}`)],
  };
  const side = { path: place.path, mode: 0, oid: "", size: 0, lines: 0 };
  const file: DiffedFile = {
    status: "modified",
    before: side,
    after: side,
    similarity: null,
    content: "text",
    additions: lines.length,
    deletions: former.length,
    hunks: [hunk],
    shownLines: hunk.lines.length,
    hasMore: false,
    hasCutLines: false,
    isGenerated: false,
  };
  const shown = { file, hunks: [{ heading: "", rows: rowsOf(hunk) }], colours: { before: null, after: null } };
  const options = { style: "unified", whitespace: "show-all" } as const;
  const table = diffTable(visit, shown, options, { showLines: null, isFromStart: false, extras: null });
  const isOutdated = place.invalidated || place.extraLines !== place.originalExtraLines;
  const mayApply =
    rights.applies && !isOutdated && place.side === "new" && !comment.pending && first.place.resolvedAt === null;
  const value = `${comment.id}.${comment.contentVersion}.${index}`;
  const buttons =
    mayApply &&
    html`${hasBatch && html`<label class="button s"><input type="checkbox" form="batch" name="suggestion" value="${value}"> In the batch</label>`}<button class="button s main" form="acts" name="apply" value="${value}">Apply</button>`;
  return html`<div class="suggestion"><div class="head">${icon(visit, "pencil")}Suggestion<span class="grow"></span>${isOutdated && html`<span class="tag">Outdated</span>`}${buttons}</div>${table}</div>`;
}
