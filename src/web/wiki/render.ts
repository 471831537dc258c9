import type { RepositoryAccess } from "../../auth/subject.ts";
import type { WikiPages } from "../../domain/repos/wiki/pages-at.ts";
import { prepareFindPage } from "../../domain/repos/wiki/read-pages.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { wikiBaseOf } from "../../domain/work/markdown/link-base.ts";
import { html, trusted, type Html } from "../html.ts";
import { wikiLink } from "../links.ts";
import { offers } from "../offers.ts";
import { renderMarkdown, textOf } from "../repos/document.ts";
import type { Visit } from "../visit.ts";
import { wikiFormLink, writesWiki } from "./open.ts";

/** Headings of documents have names of their own (`src/markdown/`). */
const headingPrefix = "user-content-";

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text of a page as it reads. `[[links]]` and others lead to the pages; those to pages that are missing are marked. */
export async function renderWiki(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  opened: Pick<WikiPages, "pages"> | null,
  text: string,
): Promise<Html> {
  const base = wikiBaseOf(forge.addresses, access);
  const rendered = await renderMarkdown(forge, visit, access, base, text, { pageLinks: true });
  const mayWrite = offers(visit, writesWiki);
  const findPage = prepareFindPage({ pages: opened?.pages ?? [] });
  const attributes = (name: string, fragment: string): Html | null => {
    const found = findPage(name);
    if (found !== null) {
      const anchor = fragment === "" || fragment.startsWith(headingPrefix) ? fragment : `${headingPrefix}${fragment}`;
      return html` href="${wikiLink(visit.root, access, found.path)}${anchor && `#${anchor}`}"`;
    }
    // Files, and pages in folders, are looked for when somebody goes there.
    if (/[/?]|^$|^_|\.\w{1,5}$/.test(name)) {
      return null;
    }
    const query = new URLSearchParams({ title: name }).toString();
    const address = mayWrite
      ? `${wikiFormLink(visit.root, access, "_new")}?${query}`
      : wikiLink(visit.root, access, name);
    return html` class="missing" title="There is no such page yet" href="${address}"`;
  };
  const start = Bun.escapeHTML(base.pages);
  const marked = rendered.text.replaceAll(/<a href="([^"#]*)(?:#([^"]*))?"/g, (all, address: string, fragment = "") => {
    const changed = address.startsWith(start)
      ? attributes(decode(unescape(address.slice(start.length))), fragment)
      : null;
    return changed === null ? all : `<a${changed.text}`;
  });
  return trusted(marked);
}

function unescape(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
}

/** The content of a page as it reads; words where it is no text. */
export function renderPage(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  opened: Pick<WikiPages, "pages"> | null,
  bytes: Uint8Array | null,
): Promise<Html> {
  const text = bytes === null ? null : textOf(bytes);
  return text === null
    ? Promise.resolve(html`<p>It is too large to be shown here, or it is no text.</p>`)
    : renderWiki(forge, visit, access, opened, text);
}
