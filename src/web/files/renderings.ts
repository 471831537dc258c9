import type { Forge } from "../../domain/spine/forge.ts";
import { isAsciidoc, isMarkdown } from "../../domain/work/markdown/is-markdown.ts";
import { html, type Html } from "../html.ts";
import { renderDocument } from "../repos/document.ts";
import { outline } from "../parts/outline.ts";
import { csvTable } from "./csv-table.ts";
import { jsonTree } from "./json-tree.ts";
import { notebook } from "./notebook.ts";
import type { ShownFile } from "./open-file.ts";
import { drawing } from "./other-kinds.ts";
import { partBytes } from "./text-part.ts";

/** A text as it reads, in the place of its lines. */
interface Rendered {
  readonly body: Html;
  /** What it consists of, as a button that opens links to its parts. */
  readonly outline?: Html | null;
}

/** A way to show files of a kind otherwise than as their lines. */
export interface Rendering {
  /** The name of the view. */
  readonly name: string;
  /** Whether it is shown before the lines. */
  readonly isFirst: boolean;
  readonly matches: (path: string) => boolean;
  /** A larger file, bytes, is shown as its lines. */
  readonly mostBytes: number;
  /** null: the text is not what the name of the file says, or too much of it. */
  readonly render: (forge: Forge, shown: ShownFile, text: string) => Rendered | null | Promise<Rendered | null>;
}

function rendered(body: Html | null): Rendered | null {
  return body && { body };
}

const renderings: readonly Rendering[] = [
  {
    name: "Preview",
    isFirst: true,
    matches: (path) => isMarkdown(path) || isAsciidoc(path),
    mostBytes: partBytes,
    async render(forge, { visit, access, revision, file }, text) {
      const document = await renderDocument(forge, visit, access, revision, file.path, text);
      return { body: html`<div class="body roomy">${document}</div>`, outline: outline(visit, document) };
    },
  },
  {
    name: "Table",
    isFirst: true,
    matches: (path) => /\.[ct]sv$/i.test(path),
    mostBytes: partBytes,
    render: (_forge, shown, text) => rendered(csvTable(shown, text)),
  },
  {
    name: "Notebook",
    isFirst: true,
    matches: (path) => /\.ipynb$/i.test(path),
    mostBytes: 4 * 1024 * 1024,
    render: async (forge, shown, text) => rendered(await notebook(forge, shown, text)),
  },
  {
    name: "Picture",
    isFirst: true,
    matches: (path) => /\.svg$/i.test(path),
    mostBytes: partBytes,
    render: async (_forge, shown, text) => rendered(text.includes("<svg") ? await drawing(shown, text) : null),
  },
  {
    name: "Tree",
    isFirst: false,
    matches: (path) => /\.(json|geojson|webmanifest|map)$/i.test(path),
    mostBytes: partBytes,
    render: (_forge, _shown, text) => rendered(jsonTree(text)),
  },
];

/** The rendering of a file by its name; null for those that are shown as their lines only. */
export function renderingOf(path: string): Rendering | null {
  return renderings.find(({ matches }) => matches(path)) ?? null;
}
