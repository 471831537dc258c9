import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { FileMode } from "../../git/objects/tree.ts";
import type { DiffedFile, DiffedSide } from "../../git/operations/diff-files.ts";
import { html, type Html } from "../html.ts";
import { lineCounts } from "../parts/line-counts.ts";
import type { Visit } from "../visit.ts";
import { diffOptions } from "./diff-options.ts";
import { rowsOf } from "./diff-rows.ts";
import { diffTable } from "./diff-table.ts";

const mostLines = 3000;

interface Texts {
  readonly path: string;
  /** null: there was none. */
  readonly before: { readonly path: string; readonly bytes: Uint8Array | null } | null;
  readonly after: Uint8Array;
}

function side(path: string, { length: size }: Uint8Array, lines: number): DiffedSide {
  return { path, mode: FileMode.file, oid: "", size, lines };
}

/** What changed between two texts, as a diff. They need not be in the repository, whose engine compares them. */
export async function diffTexts(
  forge: Forge,
  visit: Visit,
  { repository }: Pick<RepositoryAccess, "repository">,
  { path, before: former, after }: Texts,
): Promise<Html> {
  const before = former?.bytes ?? Buffer.alloc(0);
  const view = await forge.git.views.current(repository);
  const asked = { before, after, maxLines: mostLines };
  const diff = await forge.git.engine.call(view, "diffContents", asked, visit.request.signal);
  if (diff === null) {
    return html`<p class="soft">These texts are too large to be compared here.</p>`;
  }
  if (diff.hunks.length === 0) {
    return html`<p class="soft">The text is as it was.</p>`;
  }
  const shown: DiffedFile = {
    status: former === null ? "added" : "modified",
    before: former === null ? null : side(former.path, before, diff.beforeLines),
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
    extras: null,
  });
  return html`<p>${lineCounts(diff.additions, diff.deletions)}${diff.hasMore && html` <span class="soft">The first ${mostLines} lines are shown.</span>`}</p>${table}`;
}
