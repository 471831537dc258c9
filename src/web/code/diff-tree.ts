import type { FileStatus } from "../../git/diff/file-pair.ts";
import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";

export interface TreeFile {
  readonly path: string;
  readonly status: FileStatus;
  readonly href: string;
  /** Beside its name. */
  readonly note: Html | null;
  readonly isSeen: boolean;
}

interface Directory {
  readonly directories: Map<string, Directory>;
  readonly files: TreeFile[];
}

function emptyDirectory(): Directory {
  return { directories: new Map(), files: [] };
}

const signs: Partial<Record<FileStatus, { icon: IconName; colour: string; words: string }>> = {
  added: { icon: "file-plus", colour: "green", words: "new" },
  removed: { icon: "file-minus", colour: "red", words: "deleted" },
};

function draw(reader: Reader, { directories, files }: Directory): Html {
  const below = [...directories].map(([name, directory]) => {
    let label = name;
    let shown = directory;
    // A directory with nothing but another one stands in one line with it.
    while (shown.files.length === 0 && shown.directories.size === 1) {
      const [[next, inner]] = [...shown.directories] as [[string, Directory]];
      label += `/${next}`;
      shown = inner;
    }
    return html`<li><span class="line soft">${icon(reader, "folder")}<span class="cut">${label}</span></span>${draw(reader, shown)}</li>`;
  });
  const here = files.map(({ path, status, href, note, isSeen }) => {
    const sign = signs[status];
    return html`<li><a href="${href}" title="${path}"${isSeen && html` class="seen"`}>${isSeen ? icon(reader, "check", "green") : icon(reader, sign?.icon ?? "file", sign?.colour)}<span class="cut" dir="auto">${path.slice(path.lastIndexOf("/") + 1)}</span>${sign && html`<span class="sr">(${sign.words})</span>`}${note}</a></li>`;
  });
  return html`<ul>${below}${here}</ul>`;
}

/** The files of a diff by their directories. The script adds a filter. */
export function diffTree(reader: Reader, files: readonly TreeFile[]): Html {
  const root = emptyDirectory();
  for (const file of files) {
    let at = root;
    for (const name of file.path.split("/").slice(0, -1)) {
      const next = at.directories.get(name) ?? emptyDirectory();
      at.directories.set(name, next);
      at = next;
    }
    at.files.push(file);
  }
  return html`<nav class="tree diff-tree" aria-label="Changed files"><tree-filter hidden><div class="seek">${icon(reader, "search")}<input type="search" aria-label="Filter files" placeholder="Filter files"></div></tree-filter>${draw(reader, root)}</nav>`;
}
