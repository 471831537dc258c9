import { t } from "elysia";
import type { Actor, Credential } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { addCollaborator, removeCollaborator } from "../../domain/repos/collaborators/add-collaborator.ts";
import { isCollaborator, listCollaborators } from "../../domain/repos/collaborators/queries.ts";
import { Forbidden, NotFound } from "../../domain/spine/errors.ts";
import { checkOwnerName } from "../../domain/identity/owners/names.ts";
import { findShownUser, findVisibleUser } from "../../domain/identity/social/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, invalid, no, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { modeName } from "../teams/present.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { AddCollaboratorOption, RepoCollaboratorPermission } from "./schema.ts";

/** Users who were given access to a repository one by one. */
export function collaboratorRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  /** Throws InvalidInput for a name that is no user's whom the caller may know of. */
  async function readUser(actor: Actor, credential: Credential, name: string) {
    const user = await findVisibleUser(database.db, { actor, credential }, name);
    if (user === null) {
      throw new InvalidInput(`There is no user "${name}"`, "collaborator");
    }
    return user;
  }

  return group("/repos/:owner/:repo/collaborators", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    // Access to an archived repository must be taken away, too.
    onArchived: "allowed",
  })
    .get(
      "",
      {
        operationId: "repoListCollaborators",
        summary: "List a repository's collaborators",
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(User), "The collaborators, by name"),
      },
      (asked) => {
        const { actor, credential, repository: access } = asked;
        return userPage(addresses, asked, (page) =>
          listCollaborators(
            database.db,
            access.repository.id,
            { actor, credential, everybody: access.mode >= accessModes.admin },
            page,
          ),
        );
      },
    )
    .get(
      "/:collaborator",
      {
        operationId: "repoCheckCollaborator",
        summary: "Tell whether a user is a collaborator of a repository",
        signedIn: true,
        params: { collaborator: t.String({ description: "Name of the user" }) },
        responses: { ...done, ...no, ...invalid },
      },
      async ({ actor, credential, repository: { repository }, params }) => {
        checkOwnerName(params.collaborator, "collaborator");
        const user = await findVisibleUser(database.db, { actor, credential }, params.collaborator);
        return yesOrNo(user !== null && (await isCollaborator(database.db, repository.id, user.id)));
      },
    )
    .put(
      "/:collaborator",
      {
        operationId: "repoAddCollaborator",
        summary: "Give a user access to a repository, or another access",
        givesAccess: ["repository"],
        may: { on: "repository", do: "admin", unit: "any" },
        params: { collaborator: t.String({ description: "Name of the user" }) },
        also: { user: { may: { on: "user", do: "see" }, named: { user: "collaborator" }, absent: "invalid" } },
        body: AddCollaboratorOption,
        responses: done,
      },
      async ({ doer, also, repository: access, body }) => {
        const mode = accessModes[body.permission ?? "write"];
        await forge.change(doer, (work) => addCollaborator(work, access, also.user.owner, mode));
        return empty();
      },
    )
    .delete(
      "/:collaborator",
      {
        operationId: "repoDeleteCollaborator",
        summary: "Take a collaborator's access to a repository away",
        may: { on: "repository", do: "admin", unit: "any" },
        params: { collaborator: t.String({ description: "Name of the user" }) },
        responses: { ...done, ...invalid },
      },
      async ({ doer, actor, credential, repository, params }) => {
        // Access can be taken from any user who has it, also from one who became hidden since they got it.
        const known = await findShownUser(database.db, { actor, credential }, params.collaborator);
        if (known !== null && (await forge.change(doer, (work) => removeCollaborator(work, repository, known)))) {
          return empty();
        }
        const user = await readUser(actor, credential, params.collaborator);
        throw new NotFound("collaborator", user.name);
      },
    )
    .get(
      "/:collaborator/permission",
      {
        operationId: "repoGetRepoPermissions",
        summary: "Get a user's access to a repository",
        description: "One's own; anybody's for the repository's administrators.",
        signedIn: true,
        params: { collaborator: t.String({ description: "Name of the user" }) },
        responses: ok(RepoCollaboratorPermission, "The access"),
      },
      async ({ actor, credential, repository: access, params }) => {
        if (access.mode < accessModes.admin && actor.lowerName !== params.collaborator.toLowerCase()) {
          throw new Forbidden("Only administrators of a repository may ask for the access of others");
        }
        const user = await findVisibleUser(database.db, { actor, credential }, params.collaborator);
        if (user === null) {
          throw new NotFound("user", params.collaborator);
        }
        const { repository } = await forge.identity.findSubject(
          { userId: user.id },
          { repositoryId: access.repository.id },
        );
        const permission = modeName(repository?.mode ?? accessModes.none);
        return { permission, role_name: permission, user: presentOwner(addresses, user, actor) };
      },
    );
}
