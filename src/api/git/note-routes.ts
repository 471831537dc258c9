import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { removeNote, setNote } from "../../domain/git/notes/edit-note.ts";
import { getNote } from "../../domain/git/notes/find-note.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, invalid, ok } from "../common/responses.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { placeOf, presentCommit } from "../commits/present.ts";
import { commitDetails } from "../commits/schema.ts";
import { Note, NoteOptions } from "./schema.ts";

/** Notes of commits, as `git notes` has them. */
export function noteRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);

  async function present(
    access: RepositoryAccess,
    viewer: Viewer,
    sha: string,
    details: { files: boolean; verification: boolean },
    signal?: AbortSignal,
  ) {
    const { text, commit } = await getNote(forge, access.repository, sha, details, signal);
    return {
      message: text,
      commit: presentCommit(
        placeOf(forge.addresses, access),
        commit,
        await people.ofCommits([commit], viewer),
        viewer.actor,
        details.verification,
      ),
    };
  }

  return group("/repos/:owner/:repo/git/notes", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "write", unit: "code" },
  })
    .get(
      "/:sha",
      {
        operationId: "repoGetNote",
        summary: "Get the note of a commit",
        may: { on: "repository", do: "read", unit: "code" },
        params: { sha: t.String({ description: "The oid of a commit or its first digits, or a branch or tag" }) },
        query: { verification: commitDetails.verification, files: commitDetails.files },
        responses: ok(Note, "The note, with the commit that last changed it"),
      },
      ({ actor, credential, repository, params: { sha }, query, signal }) =>
        present(
          repository,
          { actor, credential },
          checkName(sha),
          { files: query.files ?? true, verification: query.verification ?? true },
          signal,
        ),
    )
    .post(
      "/:sha",
      {
        operationId: "repoSetNote",
        summary: "Write the note of a commit, in place of the one it has",
        params: { sha: t.String({ description: "The oid of a commit or its first digits, or a branch or tag" }) },
        body: NoteOptions,
        responses: ok(Note, "The note"),
      },
      async ({ doer, repository, params: { sha }, body, signal }) => {
        await setNote(forge, doer, repository, checkName(sha), body.message ?? "");
        return present(repository, doer, sha, { files: true, verification: true }, signal);
      },
    )
    .delete(
      "/:sha",
      {
        operationId: "repoRemoveNote",
        summary: "Remove the note of a commit",
        params: { sha: t.String({ description: "The oid of a commit or its first digits, or a branch or tag" }) },
        responses: { ...done, ...invalid },
      },
      async ({ doer, repository, params: { sha } }) => {
        await removeNote(forge, doer, repository, checkName(sha));
        return empty();
      },
    );
}

function checkName(sha: string): string {
  if (!isRefName(`refs/${sha}`)) {
    throw new InvalidInput(`"${sha.slice(0, 100)}" is neither an oid nor the name of a branch or tag`, "sha");
  }
  return sha;
}
