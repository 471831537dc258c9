import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/forge.ts";
import type { Revision } from "../../domain/refs/revisions.ts";
import { StithyError } from "../../lib/errors.ts";
import { html, trusted, type Html } from "../html.ts";

const markdown = /\.(md|markdown|mkd)$/i;

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

/** A file's text as a page shows it: Markdown rendered, everything else as it is. Links and pictures lead into the same commit. */
export async function renderDocument(
  forge: Forge,
  access: RepositoryAccess,
  revision: Revision,
  path: string,
  text: string,
): Promise<Html> {
  if (!markdown.test(path)) {
    return html`<pre tabindex="0">${text}</pre>`;
  }
  const { owner, repository } = access;
  const directory = path.split("/").slice(0, -1).join("/");
  const pages = forge.addresses.source(
    owner.name,
    repository.name,
    revision.kind,
    revision.name,
    directory === "" ? "" : `${directory}/`,
  );
  const base = { pages, files: pages.replace(/\/src\/(branch|tag|commit)\//, "/raw/$1/") };
  try {
    return html`<article class="document">${trusted(await forge.markdown.render(text, { hardBreaks: false, base }))}</article>`;
  } catch (error) {
    if (error instanceof StithyError && shownAsText.has(error.code)) {
      return html`<pre tabindex="0">${text}</pre>`;
    }
    throw error;
  }
}
