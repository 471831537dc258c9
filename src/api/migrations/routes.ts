import { t, type Static } from "elysia";
import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { OwnerAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { awaitMigration } from "../../domain/exchange/migrations/await-migration.ts";
import { findMigration, listMigrations, type MigrationRow } from "../../domain/exchange/migrations/queries.ts";
import { cancelMigration } from "../../domain/exchange/migrations/run-migration.ts";
import { readGivenAuthors } from "../../domain/exchange/migrations/given-authors.ts";
import type { MigratedAuthors } from "../../domain/exchange/migrations/source-authors.ts";
import { sourceServices } from "../../domain/exchange/migrations/source-client.ts";
import { startMigration, type MigratedItems } from "../../domain/exchange/migrations/start-migration.ts";
import { readInterval } from "../../domain/exchange/mirrors/interval.ts";
import { findForServer } from "../../domain/exchange/remotes/queries.ts";
import type { RemoteCredentials } from "../../domain/exchange/remotes/remote-address.ts";
import type { Creation } from "../../domain/repos/create-repository.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { FairShare } from "../../lib/fair-share.ts";
import { currentPrincipal } from "../../lib/request-context.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { conflict, done, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentOne } from "../repos/present-repositories.ts";
import { Repository } from "../repos/schema.ts";
import { MigrateRepoOptions, Migration } from "./schema.ts";

type Body = Static<typeof MigrateRepoOptions>;

/** So long a small repository may take before the answer; a larger one is answered while it comes. */
const waitMs = 20_000;

/** Looks at other servers: each lists up to a million refs, which are held in memory. */
const looksAtOnce = { what: "looks at other servers", places: 6, placesEach: 2, waiting: 30, waitingEach: 5 };

function present(row: MigrationRow): Static<typeof Migration> {
  return {
    id: row.id,
    full_name: row.fullName,
    clone_addr: row.address,
    state: row.state,
    step: row.step,
    percentage: row.percentage,
    error: row.error,
    created_at: presentInstant(row.createdAt),
    finished_at: presentInstant(row.finishedAt),
  };
}

/** Returns what to bring. Plain git has no issues and releases: they are left out, for clients ask for them always. Throws InvalidInput. */
function readItems(body: Body, authors: MigratedAuthors): MigratedItems {
  const { service = "git", lfs_endpoint: lfsEndpoint = "" } = body;
  const fields = ["labels", "milestones", "issues", "pull_requests", "releases"] as const;
  const asked = fields.find((field) => body[field] === true);
  const api = sourceServices.find((one) => one === service);
  if (asked !== undefined && api === undefined && service !== "git") {
    throw new InvalidInput(
      `${asked} can be migrated from the services ${sourceServices.join(" and ")} only, not from ${service}`,
      asked,
    );
  }
  if (lfsEndpoint !== "" && body.lfs !== true) {
    throw new InvalidInput("lfs_endpoint says where LFS objects are: send lfs, too", "lfs_endpoint");
  }
  const brings = (field: (typeof fields)[number]) => api !== undefined && body[field] === true;
  return {
    service: api ?? "gitea",
    labels: brings("labels"),
    milestones: brings("milestones"),
    issues: brings("issues"),
    pulls: brings("pull_requests"),
    releases: brings("releases"),
    wiki: body.wiki === true,
    lfs: body.lfs === true,
    lfsEndpoint,
    authors,
  };
}

function readCredentials({
  auth_username: user,
  auth_password: password,
  auth_token: token,
}: Body): RemoteCredentials | null {
  if (!user && !password && !token) {
    return null;
  }
  // Servers take a token as a password, whatever the user name.
  return { kind: "password", username: user || "oauth2", password: token || (password ?? "") };
}

/**
 * Migrations of repositories from elsewhere. Their state can be read even if a migration failed and the repository is
 * gone.
 */
export function migrationRoutes({ forge, group }: Api) {
  const { db } = forge.database;
  const id = rowId("Id of the migration");

  /** An owner that is named by its id. Throws NotFound where the caller makes no repositories there. */
  async function findById(doer: UserDoer, ownerId: number): Promise<OwnerAccess> {
    const { owner } = await forge.identity.findSubject({ userId: doer.actor.id }, { ownerId });
    const demand = demandTo({ on: "owner", do: "create-repository" }, "write", ["repository"]);
    if (owner === null || !isAllowed({ actor: doer.actor, credential: doer.credential, owner }, demand)) {
      throw new NotFound("owner with the id", String(ownerId));
    }
    return owner;
  }

  async function readCreation(doer: UserDoer, body: Body, named: OwnerAccess | null): Promise<Creation> {
    if (body.repo_owner && named === null) {
      throw new InvalidInput(`There is no user or organization "${body.repo_owner.slice(0, 80)}"`, "repo_owner");
    }
    const into = named ?? (body.uid && body.uid !== doer.actor.id ? await findById(doer, body.uid) : null);
    return into === null || into.owner.id === doer.actor.id
      ? { owner: doer.actor, ownsOwner: true }
      : { owner: into.owner, ownsOwner: doer.actor.isAdmin || into.membership === accessModes.owner };
  }

  const looks = new FairShare(looksAtOnce);

  return group("", { tag: "repository", scopes: ["repository"], may: { on: "account", do: "act-as-self" } })
    .post(
      "/repos/migrate",
      {
        operationId: "repoMigrate",
        summary: "Bring a repository from elsewhere",
        description:
          "The address and the credentials are looked at first. A small repository is whole when this answers; a larger one goes on coming, and /user/migrations tells how far it is. When it fails, nothing of it stays.",
        also: {
          into: {
            may: { on: "owner", do: "create-repository" },
            named: { owner: "repo_owner" },
            in: "body",
            absent: "null",
          },
        },
        body: MigrateRepoOptions,
        responses: { ...made(Repository, "The repository"), ...notFound, ...conflict },
      },
      async ({ doer, actor, credential, also, body, signal }) => {
        const { minimum_interval_seconds: least, default_interval_seconds: usual } = forge.config.mirror;
        const authors = await readGivenAuthors(db, doer, body.authors ?? {}, body.authors_by_email === true);
        const items = readItems(body, authors);
        if (body.mirror_interval && body.mirror !== true) {
          throw new InvalidInput("mirror_interval is for mirrors: send mirror, too", "mirror_interval");
        }
        const interval = body.mirror_interval ? readInterval(body.mirror_interval, "mirror_interval", least) : usual;
        const creation = await readCreation(doer, body, also.into);
        using place = await looks.take(currentPrincipal(), signal);
        const { repository, migrationId } = await startMigration(
          forge,
          doer,
          creation,
          {
            name: body.repo_name,
            description: body.description ?? "",
            private: body.private ?? false,
            address: body.clone_addr,
            credentials: readCredentials(body),
            items,
            mirror: body.mirror === true ? { intervalSeconds: interval } : null,
          },
          signal,
        );
        place[Symbol.dispose]();
        await awaitMigration(forge, migrationId, waitMs, signal);
        const access = await findForServer(db, repository.id);
        if (access === null) {
          throw new NotFound("repository", body.repo_name);
        }
        return created(await presentOne(forge, access, { actor, credential }));
      },
    )
    .get(
      "/user/migrations",
      {
        operationId: "userListMigrations",
        summary: "List the migrations that one has asked for",
        query: pagingQuery,
        responses: ok(t.Array(Migration), "The migrations, newest first"),
      },
      ({ request, query, actor }) =>
        pageOf({ request, query, base: forge.addresses.base }, (page) => listMigrations(db, actor.id, page), present),
    )
    .get(
      "/user/migrations/:id",
      {
        operationId: "userGetMigration",
        summary: "Tell how far a migration is",
        params: { id },
        responses: { ...ok(Migration, "The migration"), ...notFound },
      },
      async ({ actor, params }) => {
        const row = await findMigration(db, params.id);
        if (row === null || row.actorId !== actor.id) {
          throw new NotFound("migration", String(params.id));
        }
        return present(row);
      },
    )
    .delete(
      "/user/migrations/:id",
      {
        operationId: "userCancelMigration",
        summary: "Cancel a migration",
        description: "What it has brought is deleted. One that has ended is not cancelled (404).",
        params: { id },
        responses: { ...done, ...notFound },
      },
      async ({ doer, actor, params }) => {
        await forge.change(doer, (work) => cancelMigration(work, actor.id, params.id));
        return empty();
      },
    );
}
