import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import type { DiffExtras } from "./diff-extras.ts";
import { diffAnchor, diffFile, partLink, pathOf } from "./diff-file.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { whitespaceNames, type WhitespaceName } from "./diff-options.ts";
import { diffTree } from "./diff-tree.ts";
import type { Diff } from "./read-diff.ts";

/** The same page with another choice of the reader. */
function withOption(visit: Visit, name: string, value: string): string {
  const query = new URLSearchParams(visit.query);
  query.set(name, value);
  return `?${query.toString()}`;
}

function current(isCurrent: boolean): Html | null {
  return isCurrent ? html` aria-current="true"` : null;
}

/** What stands above the files: how many there are, and how they are shown. */
function toolbar(visit: Visit, diff: Diff, extras: DiffExtras | null): Html {
  const { files, total, options } = diff;
  const isWhole = files.length === total;
  const sum = (what: "additions" | "deletions") => files.reduce((lines, { file }) => lines + file[what], 0);
  const style = (name: "unified" | "split", words: string) =>
    html`<a href="${withOption(visit, "style", name)}" rel="nofollow"${current(options.style === name)}>${words}</a>`;
  const spaces = (Object.keys(whitespaceNames) as WhitespaceName[]).map((name) => {
    const isChosen = options.whitespace === name;
    return html`<a href="${withOption(visit, "whitespace", name)}" rel="nofollow"${current(isChosen)}>${icon(visit, isChosen ? "check" : "chevron-right")}${whitespaceNames[name].words}</a>`;
  });
  const start = html`<b class="num">${counted(total, "file")}</b>${isWhole && lineCounts(sum("additions"), sum("deletions"))}<span class="viewed-count soft small" role="status"></span>`;
  return html`<div class="toolbar">${extras?.start ?? start}<span class="grow"></span>
<nav class="segments" aria-label="Layout">${style("unified", "Unified")}${style("split", "Split")}</nav>
<button type="button" class="button s" popovertarget="diff-menu">${icon(visit, "settings-2")}View</button><div class="menu" id="diff-menu" popover>${spaces}</div>${extras?.end}</div>`;
}

/** Which part of the diff this is, and where the others are. */
function parts(visit: Visit, { part, files, first, total }: Diff): Html | null {
  if (part.file !== null) {
    return total === 1
      ? null
      : html`<p class="pager"><a class="button" href="${partLink(visit, {})}">Show all ${wholeNumber(total)} files</a></p>`;
  }
  const end = first + files.length;
  if (first === 0 && end === total) {
    return null;
  }
  return html`<nav class="pager" aria-label="Parts"><span class="num">Files ${wholeNumber(first + 1)}–${wholeNumber(end)} of ${wholeNumber(total)}</span><span class="group">${first > 0 && html`<a class="button" href="${partLink(visit, {})}" rel="nofollow">First files</a>`}${end < total && html`<a class="button" href="${partLink(visit, { skip: String(end) })}" rel="next nofollow">Next files</a>`}</span></nav>`;
}

/** A diff: the same wherever one is shown. `extras`: what its page shows besides. */
export function diffView(visit: Visit, diff: Diff, extras: DiffExtras | null = null): Html {
  if (diff.files.length === 0) {
    return diff.total === 0
      ? html`${extras !== null && toolbar(visit, diff, extras)}${empty(visit, "file", "No changes", "Both sides have the same files.")}${extras?.below}`
      : html`${toolbar(visit, diff, extras)}${empty(visit, "file", "Nothing here", html`This part of the changes has no files. <a href="${partLink(visit, {})}">Show them from the first one</a>`)}`;
  }
  const tree =
    extras?.tree ??
    diff.files.map(({ file }) => {
      const path = pathOf(file);
      return { path, status: file.status, href: `#${diffAnchor(path)}`, note: null, isSeen: false };
    });
  const files = diff.files.map((shown) => diffFile(visit, diff, shown, extras?.of(shown) ?? null));
  return html`${toolbar(visit, diff, extras)}<div class="columns tree duo">${diffTree(visit, tree)}<diff-files class="stack">${files}${parts(visit, diff)}${extras?.below}</diff-files></div>`;
}
