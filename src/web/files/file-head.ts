import { html, type Html } from "../html.ts";
import { editLink, sourceLink } from "../links.ts";
import { offers } from "../offers.ts";
import { copyFile } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { counted, fileSize } from "../parts/size.ts";
import { mayChange } from "../repos/may-change.ts";
import type { FileContent, ShownFile } from "./open-file.ts";

const executable = 0o100755;
/** Who only reads the code changes it in a fork. */
const proposes = { may: { on: "repository", do: "participate", unit: "code" }, signedIn: true } as const;

/** What the head of a file says besides its name. */
export interface HeadFacts {
  /** Of the whole text; null: not known, or no text. */
  readonly lines: number | null;
  /** Whether lines are shown that can be wrapped. */
  readonly hasLines: boolean;
  /** The views of the file, the first one first; only those that it has. */
  readonly views: readonly { readonly name: string; readonly href: string; readonly isShown: boolean }[];
  readonly outline: Html | null;
}

function facts({ file }: ShownFile, content: FileContent | null, { lines }: HeadFacts): Html {
  const size = content?.size ?? file.size;
  return html`${lines !== null && html`<span class="soft num not-narrow">${counted(lines, "line")}</span>`}
    ${size !== null && html`<span class="soft num not-narrow">${fileSize(size)}</span>`}
    ${file.mode === executable && html`<span class="tag">executable</span>`}
    ${content?.pointer != null && html`<span class="tag" title="The bytes are in Git LFS, under ${content.pointer.oid}">LFS</span>`}`;
}

/** What leads to the pages that change a file of a branch; those who may not write there are offered their fork. */
function changeButtons({ visit, access, revision, file }: ShownFile, { lines }: HeadFacts): Html | null {
  const { repository } = access;
  const link = (form: "_edit" | "_delete") => editLink(visit.root, access, form, revision.name, file.path);
  const edit = (label: string) =>
    lines !== null &&
    html`<a class="button s" data-key="e" rel="nofollow" href="${link("_edit")}" aria-label="${label} ${file.name}">${icon(visit, "pencil")}<span class="not-narrow">${label}</span><kbd class="not-narrow" aria-hidden="true">e</kbd></a>`;
  if (mayChange(visit, access)) {
    return html`${edit("Edit")}<a class="button s bare icon not-narrow" rel="nofollow" href="${link("_delete")}" aria-label="Delete ${file.name}">${icon(visit, "trash-2")}</a>`;
  }
  return offers(visit, proposes) && !repository.mirror ? html`${edit("Fork and edit")}` : null;
}

/** The buttons of a file: its permanent address, its bytes, and what changes it for those who may. */
function buttons({ visit, access, revision, file }: ShownFile, content: FileContent | null, head: HeadFacts): Html {
  const { root } = visit;
  const permanent = sourceLink(root, access, { kind: "commit", name: revision.commit }, file.path);
  const bytes = sourceLink(root, access, revision, file.path, content?.pointer == null ? "raw" : "media");
  const change =
    revision.kind === "branch" && file.type === "blob" ? changeButtons({ visit, access, revision, file }, head) : null;
  const wrap =
    head.hasLines &&
    html`<label class="button s bare icon wrap-lines" title="Wrap long lines"><input type="checkbox" class="sr" autocomplete="off" aria-label="Wrap long lines">${icon(visit, "wrap-text")}</label>`;
  return html`${wrap}${head.outline}${revision.kind !== "commit" && html`<a class="button s not-narrow" data-key="y" href="${permanent}">Permalink<kbd aria-hidden="true">y</kbd></a>`}
    ${content !== null && html`<span class="group"><a class="button s" href="${bytes}">Raw</a>${head.lines !== null && copyFile(visit, bytes, file.name)}<a class="button s icon" href="${bytes}" download="${file.name}" aria-label="Download ${file.name}">${icon(visit, "download")}</a></span>`}
    ${change}`;
}

/** The line above what a file holds. */
export function fileHead(shown: ShownFile, content: FileContent | null, head: HeadFacts): Html {
  const views = head.views.map(
    ({ name, href, isShown }) =>
      html`<a href="${href}"${isShown ? html` aria-current="page"` : null}${name === "Blame" ? html` data-key="b" rel="nofollow"` : null}>${name}</a>`,
  );
  return html`<header class="flow">${views.length > 1 && html`<nav class="segments" aria-label="View">${views}</nav>`}${facts(shown, content, head)}<span class="grow"></span>${buttons(shown, content, head)}</header>`;
}
