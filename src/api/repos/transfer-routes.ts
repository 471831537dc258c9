import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess, sameInEveryUnit } from "../../auth/unit-modes.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { acceptTransfer, rejectTransfer } from "../../domain/repos/transfers/answer-transfer.ts";
import { startTransfer } from "../../domain/repos/transfers/start-transfer.ts";
import { getRepository } from "../../domain/repos/queries.ts";
import { findOwnerById } from "../../domain/repos/transfers/queries.ts";
import type { Api } from "../common/api.ts";
import { created, json } from "../common/reply.ts";
import { conflict, made, ok } from "../common/responses.ts";
import { integer, nullable } from "../common/schema.ts";
import { presentOne } from "./present-repositories.ts";
import { Repository } from "./schema.ts";

const TransferRepoOption = t.Object(
  {
    new_owner: t.String({ minLength: 1, description: "Name of the user or organization" }),
    team_ids: t.Optional(
      nullable(t.Array(integer(), { description: "Ids of teams of the new owner that will have the repository" })),
    ),
  },
  { $id: "TransferRepoOption" },
);

const accepted = { 202: { description: "The repository, with its new owner", schema: Repository } };

/** A repository gets a new owner. */
export function transferRoutes({ forge, group }: Api) {
  const { db } = forge.database;

  /** The repository as it is now for somebody who may have lost their access to it. */
  async function presentNow({ repository, counts, owner }: RepositoryAccess, doer: UserDoer) {
    const found = await forge.identity.findSubject({ userId: doer.actor.id }, { repositoryId: repository.id });
    if (found.repository !== null) {
      return presentOne(forge, found.repository, doer);
    }
    const row = await getRepository(db, repository.id);
    const ownerNow = (await findOwnerById(db, row.ownerId)) ?? owner;
    return presentOne(forge, repositoryAccess(row, ownerNow, counts, sameInEveryUnit(accessModes.none)), doer);
  }

  return group("/repos/:owner/:repo/transfer", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    signedIn: true,
    // The owner is no content of a repository: an archived one can be transferred and deleted.
    onArchived: "allowed",
  })
    .post(
      "",
      {
        operationId: "repoTransfer",
        summary: "Give a repository a new owner",
        description:
          "It goes there at once if the caller may make repositories there. Otherwise the new owner has to accept it, and repo_transfer says so.",
        may: { on: "repository", do: "owner", unit: "any" },
        givesAccess: ["repository"],
        also: { recipient: { may: { on: "owner", do: "see" }, named: { owner: "new_owner" }, in: "body" } },
        body: TransferRepoOption,
        responses: { ...made(Repository, "The repository, offered to the new owner"), ...accepted, ...conflict },
      },
      async ({ doer, also, body, repository: access }) => {
        const outcome = await forge.change(doer, (work) =>
          startTransfer(work, access, also.recipient.owner, body.team_ids ?? []),
        );
        const presented = await presentNow(access, doer);
        return outcome === "moved" ? json(202, presented) : created(presented);
      },
    )
    .post(
      "/accept",
      {
        operationId: "acceptRepoTransfer",
        summary: "Accept a repository that is offered to one",
        responses: { ...accepted, ...conflict },
      },
      async ({ doer, repository: access }) => {
        await forge.change(doer, (work) => acceptTransfer(work, access));
        return json(202, await presentNow(access, doer));
      },
    )
    .post(
      "/reject",
      {
        operationId: "rejectRepoTransfer",
        summary: "Refuse a repository that is offered to one, or take back the offer",
        responses: ok(Repository, "The repository, which keeps its owner"),
      },
      async ({ doer, repository: access }) => {
        await forge.change(doer, (work) => rejectTransfer(work, access));
        return presentNow(access, doer);
      },
    );
}
