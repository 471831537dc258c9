import type { RepositoryAccess } from "../../auth/subject.ts";
import { removeNote, setNote } from "../../domain/git/notes/edit-note.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { diffView } from "../code/diff-view.ts";
import { readDiff } from "../code/read-diff.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { commitLink } from "../links.ts";
import { readsCode, writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { getCommit } from "../repos/find-source.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { commitHead } from "./commit-head.ts";
import { noteSection } from "./notes.ts";
import { patchResponse } from "./patch-response.ts";

/** One commit with its patch, on a page, as a diff and as a mail. */
export function commitPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function commitPage(
    visit: Visit,
    access: RepositoryAccess,
    revision: Revision,
    refused: Refusal | null,
  ): Promise<Page> {
    const commit = await forge.git.commits.get(revision.view, revision.commit);
    const [parent] = commit.parents;
    const [{ subject, head }, notes, diff] = await Promise.all([
      commitHead(forge, visit, access, revision, commit),
      noteSection(forge, visit, access, commit.oid, refused),
      readDiff(forge, visit, {
        view: revision.view,
        before: parent === undefined ? null : { access, commit: parent },
        after: { access, commit: commit.oid },
      }),
    ]);
    return {
      status: refused?.status ?? 200,
      title: `${subject} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "code", width: "wide" },
      body: html`${head}${notes}${diffView(visit, diff)}`,
    };
  }

  return [
    page("GET", "/:owner/:repo/commit/:sha", { ...readsCode, past: true }, async ({ visit, repository: access }) => {
      const [, oid = "", ending] = /^([0-9a-f]{4,64})(\.diff|\.patch)?$/.exec(visit.params["sha"] ?? "") ?? [];
      const revision = await getCommit(forge, access.repository, oid);
      if (ending !== undefined) {
        return patchResponse(forge, visit, revision, ending === ".patch");
      }
      return commitPage(visit, access, revision, null);
    }),
    page("POST", "/:owner/:repo/commit/:sha/notes", writesCode, async ({ visit, doer, repository: access }) => {
      const revision = await getCommit(forge, access.repository, visit.params["sha"] ?? "");
      return tryForm(
        async () => {
          await setNote(forge, doer, access, revision.commit, visit.form.lines("message"));
          return new Redirect(commitLink(visit.root, access, revision.commit), "The note is saved.");
        },
        (refused) => commitPage(visit, access, revision, refused),
      );
    }),
    page("POST", "/:owner/:repo/commit/:sha/notes/remove", writesCode, async ({ visit, doer, repository: access }) => {
      const revision = await getCommit(forge, access.repository, visit.params["sha"] ?? "");
      await removeNote(forge, doer, access, revision.commit);
      return new Redirect(commitLink(visit.root, access, revision.commit), "The note is removed.");
    }),
  ];
}
