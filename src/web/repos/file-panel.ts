import type { RepositoryAccess } from "../../auth/subject.ts";
import type { FoundFile } from "../../domain/git/contents/content-reader.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { isMarkdown } from "../../domain/work/markdown/is-markdown.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { contentTypeOf } from "../../http/content-type-of.ts";
import { html, trusted, type Html } from "../html.ts";
import { colourFile } from "../code/colours.ts";
import { sourceLink } from "../links.ts";
import { copyFrom } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { fileSize, wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import { renderDocument, textOf } from "./document.ts";

/** Lines of code with their numbers, each of which is a place that a link can lead to. */
function numbered(lines: readonly Html[]): Html {
  let numbers = "";
  for (let line = 1; line <= lines.length; line++) {
    numbers += `<a id="L${line}" href="#L${line}" tabindex="-1">${line}</a>`;
  }
  const code = lines.map(({ text }) => text).join("\n");
  return html`<div class="lines code"><pre class="numbers" aria-hidden="true">${trusted(numbers)}</pre><pre class="source" tabindex="0"><code id="source">${trusted(code)}</code></pre></div>`;
}

function currentPage(isCurrent: boolean): Html | null {
  return isCurrent ? html` aria-current="page"` : null;
}

/** How a text is shown: Markdown as it reads, or any text as its lines. `?display=source` asks for the lines. */
async function textPanel(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  { path, oid }: FoundFile,
  text: string,
): Promise<{ body: Html; facts: Html; views: Html | null; isCode: boolean }> {
  const address = sourceLink(visit.root, access, revision, path);
  const isRead = isMarkdown(path) && visit.query.get("display") !== "source";
  const count = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return {
    body: isRead
      ? html`<div class="body roomy">${await renderDocument(forge, visit, access, revision, path, text)}</div>`
      : numbered((await colourFile(forge, { oid, path, text }, visit.request.signal)).lines),
    facts: html`<span class="soft num">${wholeNumber(count)} ${count === 1 ? "line" : "lines"}</span>`,
    views: isMarkdown(path)
      ? html`<nav class="segments" aria-label="View"><a href="${address}"${currentPage(isRead)}>Preview</a><a href="${address}?display=source"${currentPage(!isRead)}>Code</a></nav>`
      : null,
    isCode: !isRead,
  };
}

/** A file: its text, its picture, or what there is to say of it. */
export async function filePanel(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  file: FoundFile,
): Promise<Html> {
  const raw = sourceLink(visit.root, access, revision, file.path, "raw");
  const text = file.bytes === null ? null : textOf(file.bytes);
  const size = file.size === null ? null : html`<span class="soft num">${fileSize(file.size)}</span>`;
  const panel = (facts: Html | null, views: Html | null, body: Html, isCode = false) =>
    html`<section class="panel edge" aria-label="${file.path}"><header>${views}${facts}${size}<span class="grow"></span>
      ${isCode && copyFrom(visit, "source", { label: "Copy the file", isSmall: true })}<a class="button s" href="${raw}">Raw</a><a class="button s icon" href="${raw}" download aria-label="Download ${file.name}">${icon(visit, "download")}</a></header>${body}</section>`;
  if (file.type === "submodule") {
    return panel(
      null,
      null,
      empty(visit, "folder-git-2", "A repository of its own", `It is used here at commit ${file.oid}.`),
    );
  }
  if (file.type === "symlink") {
    return panel(null, null, html`<p class="body">A link to <code>${text ?? ""}</code></p>`);
  }
  const type = file.size === null ? "" : await contentTypeOf(forge, revision.view, file, file.size);
  if (type.startsWith("image/")) {
    return panel(null, null, html`<div class="body"><img class="picture" src="${raw}" alt="${file.name}"></div>`);
  }
  if (text === null) {
    const why = file.bytes === null ? "This file is too large to be shown here." : "This file is not text.";
    return panel(null, null, empty(visit, "file", why, html`<a href="${raw}">Open it as it is</a>`));
  }
  const { body, facts, views, isCode } = await textPanel(forge, visit, access, revision, file, text);
  return panel(facts, views, body, isCode);
}
