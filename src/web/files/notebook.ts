import { linkBaseOf } from "../../domain/work/markdown/link-base.ts";
import { resolverFor } from "../../domain/work/markdown/resolve-references.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { readImageSize } from "../../lib/image-size.ts";
import { colourFiles, linesOf } from "../code/colours.ts";
import { html, trusted, type Html } from "../html.ts";
import type { ShownFile } from "./open-file.ts";
import { articleOf } from "../repos/document.ts";
import { parseNotebook, type NotebookCell, type NotebookOutput } from "./parse-notebook.ts";

/** The head of a picture in base64 says its size. */
const pictureHead = 64 * 1024;
/** As long as a page waits for all texts of its notebook. What is late is shown as it was written. */
const waitMs = 3000;

/** Markup as one piece of HTML for the renderer of Markdown, which sanitizes it: an empty line or an indent would end the piece. */
function asBlock(markup: string): string {
  // Tables of pandas have empty heads, which a screen reader would announce.
  const table = markup.replaceAll(/<th>\s*<\/th>/g, "<td></td>");
  return `<div>\n${table.replaceAll(/\n\s*/g, "\n").trim()}\n</div>\n`;
}

async function pictureOf(type: string, base64: string): Promise<Html> {
  const size = await readImageSize(Buffer.from(base64.slice(0, pictureHead), "base64"));
  const given = size === null ? null : html` width="${size.width}" height="${size.height}"`;
  return html`<img class="drawn" src="data:${type};base64,${base64}" alt="What the cell drew"${given}>`;
}

/** The Markdown that an output is read as; null for one that is none. */
function markdownOf(given: NotebookOutput): string | null {
  return given.kind === "html" ? asBlock(given.text) : given.kind === "markdown" ? given.text : null;
}

/** A Jupyter notebook as it reads; null for a text that is none. Nothing of it runs. */
export async function notebook(forge: Forge, shown: ShownFile, text: string): Promise<Html | null> {
  const { visit, access, revision, file } = shown;
  const read = parseNotebook(text);
  if (read === null) {
    return null;
  }
  const base = linkBaseOf(forge.addresses, access, revision, file.path);
  const texts = read.cells.flatMap(({ kind, source, outputs }) =>
    kind === "markdown" ? [source] : outputs.map(markdownOf).filter((text) => text !== null),
  );
  const rendered = await forge.markdown.renderAll(
    texts,
    { hardBreaks: false, base },
    waitMs,
    visit.request.signal,
    resolverFor(forge, visit, { access, isComment: false }),
  );
  const articles = new Map(texts.map((text, index) => [text, rendered[index] ?? null]));
  const document = (text: string): Html => {
    const markup = articles.get(text) ?? null;
    return markup === null ? html`<pre tabindex="0">${text}</pre>` : articleOf(markup);
  };
  const code = read.cells.map(({ source }, index) => ({
    oid: `${file.oid}:${index}`,
    path: `cell${read.extension}`,
    read: async () => source,
  }));
  const colours = await colourFiles(forge, code, visit.request.signal);

  async function output(given: NotebookOutput): Promise<Html> {
    switch (given.kind) {
      case "picture":
        return pictureOf(given.type, given.base64);
      case "svg":
        return pictureOf("image/svg+xml", Buffer.from(given.text).toString("base64"));
      case "html":
      case "markdown":
        return document(markdownOf(given) ?? "");
      case "error":
        return html`<pre class="red" tabindex="0">${given.text}</pre>`;
      case "text":
        return html`<pre tabindex="0">${given.text}</pre>`;
    }
  }

  async function cell({ kind, source, count, outputs }: NotebookCell, index: number): Promise<Html> {
    if (kind === "markdown") {
      return html`<div class="cell">${document(source)}</div>`;
    }
    const made = await Promise.all(outputs.map(output));
    const lines = kind === "code" ? colours[index] : null;
    const coloured = lines === null || lines === undefined ? null : trusted(lines.map((line) => line.text).join("\n"));
    return html`<div class="cell"><span class="faint small num">${kind === "code" && `[${count ?? " "}]`}</span><pre class="code" tabindex="0">${coloured ?? linesOf(source).join("\n")}</pre>${made.length > 0 && html`<div class="put">${made}</div>`}</div>`;
  }

  const cells = await Promise.all(read.cells.map(cell));
  return html`<div class="body roomy notebook">${cells}${read.left > 0 && html`<p class="soft">${read.left} more cells are left out.</p>`}</div>`;
}
