import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { linkBaseOf } from "../../domain/work/markdown/link-base.ts";
import { resolverFor } from "../../domain/work/markdown/resolve-references.ts";
import { html, trusted, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";

/** As long as a page waits for its texts. What takes longer is shown as it was written, and rendered the next time. */
const waitMs = 1500;

/** The texts of an issue and its comments as the page shows them: rendered Markdown, or what was written where that cannot be. */
export async function renderComments(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  texts: readonly string[],
): Promise<Html[]> {
  const branch = { kind: "branch", name: access.repository.defaultBranch } as const;
  const options = { hardBreaks: true, base: linkBaseOf(forge.addresses, access, branch, "") };
  const resolver = resolverFor(forge, visit, { access, isComment: true });
  const rendered = await forge.markdown.renderAll(texts, options, waitMs, visit.request.signal, resolver);
  return rendered.map((markup, index) => {
    const text = texts[index] ?? "";
    if (text.trim() === "") {
      return html`<p class="soft">There is no text.</p>`;
    }
    return markup === null ? html`<pre tabindex="0" dir="auto">${text}</pre>` : trusted(markup);
  });
}
