import { Elysia, t } from "elysia";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { removeNote, setNote } from "../../domain/notes/edit-note.ts";
import { getNote } from "../../domain/notes/find-note.ts";
import { isRefName } from "../../git/refs/ref-name.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, invalid, notFound, ok } from "../common/responses.ts";
import { repositoryParams } from "../common/schema.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { placeOf, presentCommit } from "../commits/present.ts";
import { commitDetails } from "../commits/schema.ts";
import { Note, NoteOptions } from "./schema.ts";

const params = t.Object({ ...repositoryParams, sha: t.String({ description: "The oid of a commit or its first digits, or a branch or tag" }) });

/** Notes of commits, as `git notes` has them. */
export function noteRoutes({ forge, endpoint }: Api) {
  const people = prepareFindPeople(forge);

  async function present(access: RepositoryAccess, viewer: Actor | null, sha: string, details: { files: boolean; verification: boolean }, signal?: AbortSignal) {
    const { text, commit } = await getNote(forge, access.repository, sha, details, signal);
    return { message: text, commit: presentCommit(placeOf(forge.addresses, access), commit, await people.ofCommits([commit], viewer), viewer, details.verification) };
  }

  return new Elysia({ prefix: "/repos/:owner/:repo/git/notes" })
    .get(
      "/:sha",
      ...endpoint(
        {
          operationId: "repoGetNote",
          tag: "repository",
          summary: "Get the note of a commit",
          scopes: ["repository"],
          may: { on: "repository", do: "read", unit: "code" },
          params,
          query: t.Object({ verification: commitDetails.verification, files: commitDetails.files }),
          responses: { ...ok(Note, "The note, with the commit that last changed it"), ...notFound, ...invalid },
        },
        ({ actor, repository, params: { sha }, query, signal }) =>
          present(repository, actor, checkName(sha), { files: query.files ?? true, verification: query.verification ?? true }, signal),
      ),
    )
    .post(
      "/:sha",
      ...endpoint(
        {
          operationId: "repoSetNote",
          tag: "repository",
          summary: "Write the note of a commit, in place of the one it has",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params,
          body: NoteOptions,
          responses: { ...ok(Note, "The note"), ...notFound, ...invalid },
        },
        async ({ actor, repository, params: { sha }, body, signal }) => {
          await setNote(forge, repository.repository, actor, checkName(sha), body.message ?? "");
          return present(repository, actor, sha, { files: true, verification: true }, signal);
        },
      ),
    )
    .delete(
      "/:sha",
      ...endpoint(
        {
          operationId: "repoRemoveNote",
          tag: "repository",
          summary: "Remove the note of a commit",
          scopes: ["repository"],
          may: { on: "repository", do: "write", unit: "code" },
          signedIn: true,
          changes: true,
          params,
          responses: { ...done, ...notFound, ...invalid },
        },
        async ({ actor, repository, params: { sha } }) => {
          await removeNote(forge, repository.repository, actor, checkName(sha));
          return empty();
        },
      ),
    );
}

function checkName(sha: string): string {
  if (!isRefName(`refs/${sha}`)) {
    throw new InvalidInput(`"${sha.slice(0, 100)}" is neither an oid nor the name of a branch or tag`, "sha");
  }
  return sha;
}
