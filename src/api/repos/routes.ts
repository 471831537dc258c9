import { isPublicOnly } from "../../auth/authorize.ts";
import { Forbidden } from "../../domain/spine/errors.ts";
import { editPullMirror } from "../../domain/exchange/mirrors/edit-pull-mirror.ts";
import { deleteRepository } from "../../domain/repos/delete-repository.ts";
import { editRepository } from "../../domain/repos/edit-repository.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { archived, done, ok } from "../common/responses.ts";
import { rowId } from "../common/schema.ts";
import { readMirrorPatch, readPatch } from "./edit-patch.ts";
import { EditRepoOption } from "./options.ts";
import { presentOne } from "./present-repositories.ts";
import { Repository } from "./schema.ts";

/** One repository: read, changed, deleted. */
export function repositoryRoutes({ forge, group }: Api) {
  return group("", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    // repoEdit unarchives, and its use case refuses every other change.
    onArchived: "allowed",
  })
    .get(
      "/repos/:owner/:repo",
      { operationId: "repoGet", summary: "Get a repository", responses: ok(Repository, "The repository") },
      ({ actor, credential, repository }) => presentOne(forge, repository, { actor, credential }),
    )
    .patch(
      "/repos/:owner/:repo",
      {
        operationId: "repoEdit",
        summary: "Change a repository's settings",
        description:
          "Fields that are absent stay as they are. An archived repository can only be changed by a request that also sets archived to false.",
        may: { on: "repository", do: "admin", unit: "any" },
        body: EditRepoOption,
        responses: { ...ok(Repository, "The changed repository"), ...archived },
      },
      async ({ actor, credential, doer, repository: access, body }) => {
        if (body.private === true && isPublicOnly(credential)) {
          throw new Forbidden("The token is for public repositories only and cannot make one private");
        }
        const patch = readPatch(body);
        const least = forge.config.mirror.minimum_interval_seconds;
        const mirrorPatch = readMirrorPatch(body, access.repository.mirror, least);
        const changed = await forge.change(doer, async (work) => {
          const row = await editRepository(work, access, patch);
          if (mirrorPatch !== null) {
            await editPullMirror(work, row, mirrorPatch);
          }
          return row;
        });
        if (body.private !== undefined) {
          await forge.packageIndexes.settleLinked(changed.id);
        }
        return presentOne(forge, { ...access, repository: changed }, { actor, credential });
      },
    )
    .delete(
      "/repos/:owner/:repo",
      {
        operationId: "repoDelete",
        summary: "Delete a repository",
        may: { on: "repository", do: "owner", unit: "any" },
        responses: done,
      },
      async ({ doer, actor, repository: { repository, owner } }) => {
        await forge.change(doer, (work) => deleteRepository(work, repository));
        forge.log.info(
          { repository: repository.id, name: `${owner.name}/${repository.name}`, actor: actor.name },
          "Deleted a repository",
        );
        return empty();
      },
    )
    .get(
      "/repositories/:id",
      {
        operationId: "repoGetByID",
        summary: "Get a repository by its id",
        signedIn: true,
        params: { id: rowId("Id of the repository") },
        responses: ok(Repository, "The repository"),
      },
      ({ actor, credential, repository }) => presentOne(forge, repository, { actor, credential }),
    );
}
