import { Elysia, t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import { Forbidden } from "../../domain/errors.ts";
import { deleteRepository } from "../../domain/repos/delete-repository.ts";
import { editRepository } from "../../domain/repos/edit-repository.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { archived, done, forbidden, invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { repositoryParams, rowId } from "../common/schema.ts";
import { readPatch } from "./edit-patch.ts";
import { EditRepoOption } from "./options.ts";
import { presentRepository } from "./present.ts";
import { Repository } from "./schema.ts";

/** One repository: read, changed, deleted. */
export function repositoryRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  return new Elysia()
    .get(
      "/repos/:owner/:repo",
      ...endpoint(
        {
          operationId: "repoGet",
          tag: "repository",
          summary: "Get a repository",
          scopes: ["repository"],
          may: { on: "repository", do: "read" },
          params: t.Object(repositoryParams),
          responses: { ...ok(Repository, "The repository"), ...notFound },
        },
        ({ actor, repository }) => presentRepository(addresses, repository, actor),
      ),
    )
    .patch(
      "/repos/:owner/:repo",
      ...endpoint(
        {
          operationId: "repoEdit",
          tag: "repository",
          summary: "Change a repository's settings",
          description: "Fields that are absent stay as they are. An archived repository can only be changed by a request that also sets archived to false.",
          scopes: ["repository"],
          may: { on: "repository", do: "admin" },
          signedIn: true,
          params: t.Object(repositoryParams),
          body: EditRepoOption,
          responses: { ...ok(Repository, "The changed repository"), ...signInNeeded, ...forbidden, ...notFound, ...invalid, ...archived },
        },
        async ({ actor, credential, repository: access, body }) => {
          const { owner, repository } = access;
          if (body.private === true && isPublicOnly(credential)) {
            throw new Forbidden("The token is for public repositories only and cannot make one private");
          }
          const patch = readPatch(body);
          const changed = await database.db.transaction((tx) => editRepository(tx, actor.id, owner, repository.id, patch));
          return presentRepository(addresses, { ...access, repository: changed }, actor);
        },
      ),
    )
    .delete(
      "/repos/:owner/:repo",
      ...endpoint(
        {
          operationId: "repoDelete",
          tag: "repository",
          summary: "Delete a repository",
          scopes: ["repository"],
          may: { on: "repository", do: "owner" },
          signedIn: true,
          params: t.Object(repositoryParams),
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, repository: { repository, owner } }) => {
          await database.db.transaction((tx) => deleteRepository(tx, repository));
          forge.log.info({ repository: repository.id, name: `${owner.name}/${repository.name}`, actor: actor.name }, "Deleted a repository");
          return empty();
        },
      ),
    )
    .get(
      "/repositories/:id",
      ...endpoint(
        {
          operationId: "repoGetByID",
          tag: "repository",
          summary: "Get a repository by its id",
          scopes: ["repository"],
          may: { on: "repository", do: "read" },
          signedIn: true,
          params: t.Object({ id: rowId("Id of the repository") }),
          responses: { ...ok(Repository, "The repository"), ...signInNeeded, ...notFound },
        },
        ({ actor, repository }) => presentRepository(addresses, repository, actor),
      ),
    );
}
