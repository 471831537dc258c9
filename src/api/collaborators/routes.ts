import { Elysia, t } from "elysia";
import type { Actor, Credential } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { addCollaborator } from "../../domain/collaborators/add-collaborator.ts";
import { deleteCollaborator, isCollaborator, listCollaborators } from "../../domain/collaborators/queries.ts";
import { Forbidden, NotFound } from "../../domain/errors.ts";
import { checkOwnerName } from "../../domain/names.ts";
import { findOwner } from "../../domain/repos/queries.ts";
import { findVisibleUser } from "../../domain/social/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, no, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, repositoryParams } from "../common/schema.ts";
import { modeName } from "../teams/present.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { AddCollaboratorOption, RepoCollaboratorPermission } from "./schema.ts";

const collaboratorParams = t.Object({ ...repositoryParams, collaborator: t.String({ description: "Name of the user" }) });

/** Users who were given access to a repository one by one. */
export function collaboratorRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;
  const read = { tag: "repository", scopes: ["repository"], may: { on: "repository", do: "read" }, signedIn: true } as const;
  const administer = { tag: "repository", scopes: ["repository"], may: { on: "repository", do: "admin" }, signedIn: true, params: collaboratorParams } as const;

  /** Throws InvalidInput for a name that is no user's whom the caller may know of. */
  async function readUser(actor: Actor, credential: Credential, name: string) {
    const user = await findVisibleUser(database.db, { actor, credential }, name);
    if (user === null) {
      throw new InvalidInput(`There is no user "${name}"`, "collaborator");
    }
    return user;
  }

  return new Elysia({ prefix: "/repos/:owner/:repo/collaborators" })
    .get(
      "",
      ...endpoint(
        {
          ...read,
          operationId: "repoListCollaborators",
          summary: "List a repository's collaborators",
          params: t.Object(repositoryParams),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(User), "The collaborators, by name"), ...signInNeeded, ...notFound },
        },
        (asked) => {
          const { actor, repository: access } = asked;
          return userPage(addresses, asked, (page) => listCollaborators(database.db, access.repository.id, { actor, everybody: access.mode >= accessModes.admin }, page));
        },
      ),
    )
    .get(
      "/:collaborator",
      ...endpoint(
        {
          ...read,
          operationId: "repoCheckCollaborator",
          summary: "Tell whether a user is a collaborator of a repository",
          params: collaboratorParams,
          responses: { ...done, ...signInNeeded, ...no, ...invalid },
        },
        async ({ actor, credential, repository: { repository }, params }) => {
          checkOwnerName(params.collaborator, "collaborator");
          const user = await findVisibleUser(database.db, { actor, credential }, params.collaborator);
          return empty(user !== null && (await isCollaborator(database.db, repository.id, user.id)) ? 204 : 404);
        },
      ),
    )
    .put(
      "/:collaborator",
      ...endpoint(
        {
          ...administer,
          operationId: "repoAddCollaborator",
          summary: "Give a user access to a repository, or another access",
          body: AddCollaboratorOption,
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, credential, repository: access, params, body }) => {
          const user = await readUser(actor, credential, params.collaborator);
          const mode = accessModes[body.permission ?? "write"];
          await database.db.transaction((tx) => addCollaborator(tx, access, user, mode));
          return empty();
        },
      ),
    )
    .delete(
      "/:collaborator",
      ...endpoint(
        {
          ...administer,
          operationId: "repoDeleteCollaborator",
          summary: "Take a collaborator's access to a repository away",
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, credential, repository: { repository }, params }) => {
          // Whoever has access can lose it, also a user who hides from everybody since they were given it.
          const known = await findOwner(database.db, params.collaborator);
          if (known !== null && (await database.db.transaction((tx) => deleteCollaborator(tx, repository.id, known.id)))) {
            return empty();
          }
          const user = await readUser(actor, credential, params.collaborator);
          throw new NotFound("collaborator", user.name);
        },
      ),
    )
    .get(
      "/:collaborator/permission",
      ...endpoint(
        {
          ...read,
          operationId: "repoGetRepoPermissions",
          summary: "Get a user's access to a repository",
          description: "One's own; anybody's for the repository's administrators.",
          params: collaboratorParams,
          responses: { ...ok(RepoCollaboratorPermission, "The access"), ...signInNeeded, ...forbidden, ...notFound },
        },
        async ({ actor, credential, repository: access, params }) => {
          if (access.mode < accessModes.admin && actor.lowerName !== params.collaborator.toLowerCase()) {
            throw new Forbidden("Only administrators of a repository may ask for the access of others");
          }
          const user = await findVisibleUser(database.db, { actor, credential }, params.collaborator);
          if (user === null) {
            throw new NotFound("user", params.collaborator);
          }
          const { repository } = await forge.findSubject({ userId: user.id }, { repositoryId: access.repository.id });
          const permission = modeName(repository?.mode ?? accessModes.none);
          return { permission, role_name: permission, user: presentOwner(addresses, user, actor) };
        },
      ),
    );
}
