import { parsePointer, type LfsPointer } from "../../domain/git/lfs/pointer.ts";
import type { DiffedFile, DiffedSide } from "../../git/operations/diff-files.ts";
import { html, type Html, type HtmlValue } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { note } from "../parts/note.ts";
import { fileSize } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import type { FileExtras } from "./diff-extras.ts";
import { diffTable } from "./diff-table.ts";
import { hasHidden } from "./hidden-characters.ts";
import type { Diff, DiffEnd, ShownFile } from "./read-diff.ts";

/** Where a file stands in the page of a diff. */
export function diffAnchor(path: string): string {
  return `diff-${Bun.hash.xxHash3(path).toString(36)}`;
}

export function pathOf({ before, after }: DiffedFile): string {
  return (after ?? before)!.path;
}

/** The address of the same page with another part of the diff; the reader's options stay. */
export function partLink(visit: Visit, part: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(part);
  for (const name of ["style", "whitespace"]) {
    const value = visit.query.get(name);
    if (value !== null) {
      query.set(name, value);
    }
  }
  return `?${query.toString()}`;
}

const pictures = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i;

const modeNames: Readonly<Record<number, string>> = {
  0o100644: "file",
  0o100755: "executable file",
  0o120000: "symbolic link",
  0o160000: "submodule",
};

/** The pointers to LFS objects that the sides are; null for a file that is kept in git. */
function pointersOf({ file, hunks }: ShownFile): { before: LfsPointer | null; after: LfsPointer | null } | null {
  const rows = hunks.flatMap((hunk) => hunk.rows);
  if (rows.length === 0 || rows.length > 20) {
    return null;
  }
  const side = (skipped: "added" | "removed"): LfsPointer | null =>
    parsePointer(
      Buffer.from(
        rows
          .filter(({ kind }) => kind !== skipped)
          .map(({ text }) => `${text}\n`)
          .join(""),
      ),
    );
  const before = file.before === null ? null : side("added");
  const after = file.after === null ? null : side("removed");
  return before === null && after === null ? null : { before, after };
}

function tag(words: string): Html {
  return html`<span class="tag">${words}</span>`;
}

/** Words beside the name of a file: what became of it besides its lines. */
function facts(visit: Visit, shown: ShownFile, isLfs: boolean): Html[] {
  const { before, after, status, similarity, content, isGenerated } = shown.file;
  const found: Html[] = [];
  if (status === "added" || status === "removed") {
    found.push(tag(status === "added" ? "new" : "deleted"));
  }
  if (similarity !== null) {
    found.push(tag(`${status} ${similarity} %`));
  }
  if (before !== null && after !== null && before.mode !== after.mode) {
    found.push(tag(`${modeNames[before.mode] ?? "file"} → ${modeNames[after.mode] ?? "file"}`));
  } else if ((after ?? before)!.mode !== 0o100644) {
    found.push(tag(modeNames[(after ?? before)!.mode] ?? "file"));
  }
  if (content === "binary") {
    found.push(tag("binary"));
  }
  if (isLfs) {
    found.push(tag("LFS"));
  }
  if (isGenerated) {
    found.push(tag("generated"));
  }
  if (shown.hunks.some(({ rows }) => rows.some((row) => row.kind === "added" && hasHidden(row.text)))) {
    found.push(html`<span class="tag amber">${icon(visit, "triangle-alert")}hidden characters</span>`);
  }
  return found;
}

function picture(visit: Visit, end: DiffEnd | null, side: DiffedSide | null, size: number, isLfs: boolean): Html {
  const name = end === null || side === null ? null : sideLink(visit, end, side, isLfs ? "media" : "raw");
  return html`<figure>${name === null ? html`<p class="soft">Nothing</p>` : html`<img class="picture" src="${name}" alt="" loading="lazy">`}<figcaption class="soft small">${name === null ? "" : fileSize(size)}</figcaption></figure>`;
}

function sideLink(visit: Visit, end: DiffEnd, side: DiffedSide, view: "src" | "raw" | "media"): string {
  const { access, commit, addressOf } = end;
  return (
    addressOf?.(side.path, view) ?? sourceLink(visit.root, access, { kind: "commit", name: commit }, side.path, view)
  );
}

/** What a file is where it has no lines to show, or what to know besides. */
function insteadOfLines(visit: Visit, diff: Diff, shown: ShownFile): HtmlValue {
  const { file } = shown;
  const { before, after, content } = file;
  switch (content) {
    case "submodule":
      return html`Submodule: ${before === null ? "" : html`<code>${before.oid.slice(0, 10)}</code>`}${before !== null && after !== null ? " → " : ""}${after === null ? "" : html`<code>${after.oid.slice(0, 10)}</code>`}`;
    case "binary":
      return html`A binary file: ${[before, after]
        .filter((side) => side !== null)
        .map(({ size }) => fileSize(size))
        .join(" → ")}`;
    case "costly":
      return "These texts are too large to be compared here.";
    case "text":
      break;
  }
  if (file.isGenerated && diff.part.file === null && file.additions + file.deletions > 0) {
    return html`A program wrote this file, so it is not shown at once. <a class="load" href="${partLink(visit, { file: pathOf(file) })}" rel="nofollow">Show its changes</a>`;
  }
  if (before !== null && after !== null && before.oid === after.oid) {
    return file.similarity === null ? "The text is as it was." : "Only its name changed.";
  }
  if (before !== null && after !== null) {
    return "Only spaces changed, which are hidden here.";
  }
  return "An empty file.";
}

/** The panel of a file. It can be folded without script. */
export function diffFile(visit: Visit, diff: Diff, shown: ShownFile, extras: FileExtras | null): Html {
  const { file } = shown;
  const { before, after } = file;
  const path = pathOf(file);
  const cut = path.lastIndexOf("/") + 1;
  const pointers = pointersOf(shown);
  const page = after === null ? null : sideLink(visit, diff.range.after, after, "src");
  const former =
    file.similarity === null
      ? null
      : html`<span class="soft" dir="auto">${before!.path}</span><span class="soft">→</span>`;
  const hasPictures = pictures.test(path) && (file.content === "binary" || pointers !== null || path.endsWith(".svg"));
  return html`<section class="panel edge file" id="${diffAnchor(path)}" aria-label="${path}" data-version="${before?.oid.slice(0, 12)}.${after?.oid.slice(0, 12)}"${extras?.attributes}>
<header><details${extras?.isFolded !== true && html` open`}><summary aria-label="Lines of ${path}">${icon(visit, "chevron-down")}</summary></details>${former}<span class="path" dir="auto"><span class="soft">${path.slice(0, cut)}</span>${path.slice(cut)}</span>${facts(visit, shown, pointers !== null)}<span class="grow"></span>${lineCounts(file.additions, file.deletions)}${page !== null && html`<a class="button s bare icon" href="${page}" rel="nofollow" aria-label="Open ${path}">${icon(visit, "file")}</a>`}${extras?.tools}</header>
${extras?.above}${hasPictures && html`<picture-diff class="pictures">${picture(visit, diff.range.before, before, pointers?.before?.size ?? before?.size ?? 0, pointers?.before != null)}${picture(visit, diff.range.after, after, pointers?.after?.size ?? after?.size ?? 0, pointers?.after != null)}</picture-diff>`}
${
  pointers !== null &&
  html`<p class="body soft">Kept with Git LFS: ${[pointers.before, pointers.after]
    .filter((pointer) => pointer !== null)
    .map(({ size }) => fileSize(size))
    .join(" → ")}</p>`
}
${shown.hunks.length === 0 ? !hasPictures && html`<p class="body soft">${insteadOfLines(visit, diff, shown)}</p>` : lines(visit, diff, shown, extras)}</section>`;
}

function lines(visit: Visit, diff: Diff, shown: ShownFile, extras: FileExtras | null): Html {
  const { file } = shown;
  const path = pathOf(file);
  const one = diff.part.file;
  const shownSoFar = (one?.shown ?? []).map(([from, to]) => `${from}-${to}`);
  const skipped = one?.skipLines ?? 0;
  const showLines =
    file.before === null || file.after === null
      ? null
      : (from: number, to: number) =>
          `${partLink(visit, { file: path, show: [...shownSoFar, `${from}-${to}`].join(".") })}#${diffAnchor(path)}`;
  const more = file.hasMore
    ? html`<p class="body">${note(visit, "info", html`The file has more changes. <a href="${partLink(visit, { file: path, "skip-lines": String(skipped + file.shownLines) })}#${diffAnchor(path)}" rel="nofollow">Show the next ones</a>`)}</p>`
    : null;
  const cut = file.hasCutLines ? html`<p class="body soft">Lines of more than 5,000 bytes are cut.</p>` : null;
  return html`${cut}${diffTable(visit, shown, diff.options, { showLines: skipped > 0 ? null : showLines, isFromStart: skipped === 0, extras: extras?.lines ?? null })}${more}`;
}
