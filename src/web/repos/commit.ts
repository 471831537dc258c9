import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Signature } from "../../git/objects/signature.ts";
import { streamBody } from "../../http/file-response.ts";
import { clip } from "../../lib/show-value.ts";
import { agent } from "../../lib/version.ts";
import { diffView } from "../code/diff-view.ts";
import { readDiff } from "../code/read-diff.ts";
import { html, type Html } from "../html.ts";
import { commitLink, sourceLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { cachingOf } from "../respond.ts";
import { commitTitle } from "./commit-title.ts";

/** The most UTF-16 code units that the page shows of a message, and the most parents. */
const shownMessage = 64 * 1024;
const shownParents = 100;

function person(visit: Visit, { name, seconds }: Signature): Html {
  return html`${name}, ${ago(visit, new Date(seconds * 1000))}`;
}

/** One commit with its patch, on a page, as a diff and as a mail. */
export function commitPages(forge: Forge, page: DeclarePage): PageRoute[] {
  function openPatch({ view, commit }: Revision, asMail: boolean, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return forge.git.engine.stream(
      view,
      "patch",
      { before: "parent", after: commit, mail: asMail ? { signature: agent } : null },
      signal,
    );
  }

  return [
    page(
      "GET",
      "/:owner/:repo/commit/:sha",
      { may: { on: "repository", do: "read", unit: "code" } },
      async ({ visit, repository: access }) => {
        const [, oid = "", ending] = /^([0-9a-f]{4,64})(\.diff|\.patch)?$/.exec(visit.params["sha"] ?? "") ?? [];
        const revision = oid === "" ? null : await forge.git.revisions.findCommit(access.repository, oid);
        if (revision === null) {
          throw new NotFound("commit", oid);
        }
        const { signal } = visit.request;
        if (ending !== undefined) {
          const headers = {
            "content-type": "text/plain; charset=utf-8",
            "x-content-type-options": "nosniff",
            ...cachingOf(visit.isPrivate),
          };
          return new Response(await streamBody(visit.request, () => openPatch(revision, ending === ".patch", signal)), {
            headers,
          });
        }
        const { author, committer, message, parents } = await forge.git.commits.get(revision.view, revision.commit);
        const shown = clip(message, shownMessage).trimEnd();
        const subject = commitTitle(shown);
        // A first line that is cut is told in full, as far as the message is.
        const rest = (
          shown.startsWith(`${subject}\n`) || shown === subject ? shown.slice(subject.length) : shown
        ).trim();
        const [parent] = parents;
        const diff = await readDiff(forge, visit, {
          view: revision.view,
          before: parent === undefined ? null : { access, commit: parent },
          after: { access, commit: revision.commit },
        });
        return {
          title: `${subject} · ${access.owner.name}/${access.repository.name}`,
          place: { tab: "code", width: "wide" },
          body: html`<div class="title"><h1 dir="auto">${subject}</h1>${rest === "" ? null : html`<pre tabindex="0" dir="auto">${rest}</pre>`}</div>
          <dl class="pairs"><dt>Commit</dt><dd class="line"><code>${revision.commit}</code>${copyButton(visit, revision.commit, { label: "Copy the commit’s id", isSmall: true })}</dd><dt>Author</dt><dd>${person(visit, author)}</dd><dt>Committer</dt><dd>${person(visit, committer)}</dd>
          ${parents.slice(0, shownParents).map((parent) => html`<dt>Parent</dt><dd><a href="${commitLink(visit.root, access, parent)}"><code>${parent}</code></a></dd>`)}
          ${parents.length > shownParents ? html`<dt>Parents</dt><dd>${parents.length} in all</dd>` : null}
          <dt>Files</dt><dd><a href="${sourceLink(visit.root, access, { kind: "commit", name: revision.commit }, "")}">Browse the files at this commit</a></dd></dl>
          <section class="section"><div class="split"><h2>Changes</h2><span class="group"><a class="button s" href="${commitLink(visit.root, access, revision.commit)}.diff">.diff</a><a class="button s" href="${commitLink(visit.root, access, revision.commit)}.patch">.patch</a></span></div>
</section>${diffView(visit, diff)}`,
        };
      },
    ),
  ];
}
