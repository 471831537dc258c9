import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { isAsciidoc, isMarkdown } from "../../domain/work/markdown/is-markdown.ts";
import { linkBaseOf } from "../../domain/work/markdown/link-base.ts";
import { resolverFor } from "../../domain/work/markdown/resolve-references.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { StithyError } from "../../lib/errors.ts";
import type { MarkdownOptions } from "../../markdown/render-markdown.ts";
import type { LinkBase } from "../../markdown/sanitize-markup.ts";
import { html, trusted, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";

/** Codes of errors after which a document is shown as its text. */
const shownAsText: ReadonlySet<string> = new Set(["unrenderable-text", "share-full", "server-busy"]);

/** A text; null for bytes that are none. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) {
    return null;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A file's text as a page shows it: Markdown and AsciiDoc rendered, everything else as it is. Links and pictures lead into the same commit. */
export async function renderDocument(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  path: string,
  text: string,
): Promise<Html> {
  return isMarkdown(path) || isAsciidoc(path)
    ? renderMarkdown(
        forge,
        visit,
        access,
        linkBaseOf(forge.addresses, access, revision, path),
        text,
        isAsciidoc(path) ? { format: "asciidoc" } : {},
      )
    : html`<pre tabindex="0">${text}</pre>`;
}

/** What the renderer made of a document. A block that may be wider than the page can be scrolled by keyboard. */
export function articleOf(rendered: string): Html {
  return html`<article class="document">${trusted(rendered.replaceAll("<pre>", '<pre tabindex="0">'))}</article>`;
}

/** Markdown of a repository or its wiki, rendered; as its text where that cannot be. */
export async function renderMarkdown(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  base: LinkBase,
  text: string,
  options: Pick<MarkdownOptions, "format" | "pageLinks"> = {},
): Promise<Html> {
  const resolver = resolverFor(forge, visit, { access, isComment: false });
  try {
    const rendered = await forge.markdown.render(
      text,
      { hardBreaks: false, base, ...options },
      visit.request.signal,
      resolver,
    );
    return articleOf(rendered);
  } catch (error) {
    if (error instanceof StithyError && shownAsText.has(error.code)) {
      return html`<pre tabindex="0">${text}</pre>`;
    }
    throw error;
  }
}
