import { commitPatch } from "../../domain/git/contents/commit-patch.ts";
import type { Api } from "../common/api.ts";
import { json } from "../common/reply.ts";
import { conflict, ok } from "../common/responses.ts";
import { prepareFindPeople } from "../commits/people.ts";
import { placeOf, presentFileCommit, presentVerification } from "../commits/present.ts";
import { commitOptionsOf } from "./commit-options.ts";
import { FileResponse, UpdateFileOptions } from "./schema.ts";

/** A patch is text; clients that send the content of files in base64 do so here too. */
function readPatch(content: string): Uint8Array {
  const isBase64 = /^[A-Za-z0-9+/\s]+={0,2}$/.test(content.trimEnd());
  return isBase64 ? Buffer.from(content, "base64") : Buffer.from(content);
}

/** Patches, each a commit. */
export function patchRoutes({ forge, group }: Api) {
  const people = prepareFindPeople(forge);

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "write", unit: "code" },
  }).post(
    "/diffpatch",
    {
      operationId: "repoApplyDiffPatch",
      summary: "Apply a patch to the files of a branch, in one commit",
      description:
        "`content` is the patch as text or in base64: what `git diff` or `git format-patch` print, with renames, modes and binary files if they are in it. A patch that does not fit is refused as a whole. `sha` and `from_path` say nothing here, as the patch names its files.",
      body: UpdateFileOptions,
      bodyLimit: "content",
      responses: {
        ...ok(FileResponse, "The commit; its `content` is null, since there may be many files"),
        ...conflict,
      },
    },
    async ({ doer, repository, body }) => {
      const { commit, view } = await commitPatch(forge, doer, {
        repository,
        patch: readPatch(body.content),
        options: commitOptionsOf(body),
      });
      const record = await forge.git.commits.get(view, commit);
      const verification = presentVerification(
        await people.ofSignature(record.signature, record.committer, doer),
        record.committer.email,
      );
      return json(200, {
        content: null,
        commit: presentFileCommit(placeOf(forge.addresses, repository), record),
        verification,
      });
    },
  );
}
