import { withEndingsOf } from "../../domain/git/contents/line-endings.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { FileMode } from "../../git/objects/tree.ts";
import type { DiffedFile, DiffedSide } from "../../git/operations/diff-files.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { diffOptions } from "../code/diff-options.ts";
import { rowsOf } from "../code/diff-rows.ts";
import { diffTable } from "../code/diff-table.ts";
import { html, type Html } from "../html.ts";
import type { Editing } from "./editing.ts";
import type { EditedFile } from "./text-file.ts";

const mostLines = 3000;

function side(path: string, { length: size }: Uint8Array, lines: number): DiffedSide {
  return { path, mode: FileMode.file, oid: "", size, lines };
}

/** What a typed text changes in its file, as a diff. */
export async function changesOf(
  forge: Forge,
  { visit, access, revision }: Editing,
  file: EditedFile | null,
  { path, text }: { path: string; text: string },
): Promise<Html> {
  const before = file?.bytes ?? Buffer.alloc(0);
  const after = withEndingsOf(file?.bytes ?? null, text);
  const view = revision?.view ?? (await forge.git.views.current(access.repository));
  const asked = { before, after, maxLines: mostLines };
  const diff = await forge.git.engine.call(view, "diffContents", asked, visit.request.signal);
  if (diff === null) {
    return html`<p class="soft">These texts are too large to be compared here.</p>`;
  }
  if (diff.hunks.length === 0) {
    return html`<p class="soft">The text is as it was.</p>`;
  }
  const shown: DiffedFile = {
    status: file === null ? "added" : "modified",
    before: file === null ? null : side(file.path, before, diff.beforeLines),
    after: side(path, after, diff.afterLines),
    similarity: null,
    content: "text",
    additions: diff.additions,
    deletions: diff.deletions,
    hunks: diff.hunks,
    shownLines: diff.lines,
    hasMore: diff.hasMore,
    hasCutLines: diff.hasCutLines,
    isGenerated: false,
  };
  const hunks = diff.hunks.map((hunk) => ({ heading: hunk.heading, rows: rowsOf(hunk) }));
  const colours = { before: null, after: null };
  const table = diffTable(visit, { file: shown, hunks, colours }, diffOptions(visit), {
    showLines: null,
    isFromStart: true,
  });
  return html`<p>${lineCounts(diff.additions, diff.deletions)}${diff.hasMore && html` <span class="soft">The first ${mostLines} lines are shown.</span>`}</p>${table}`;
}
