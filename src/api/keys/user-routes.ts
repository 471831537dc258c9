import { t } from "elysia";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { createUserKey } from "../../domain/identity/keys/create-user-key.ts";
import { deleteUserKey } from "../../domain/identity/keys/delete-user-key.ts";
import { findUserKey, listUserKeys } from "../../domain/identity/keys/queries.ts";
import { findOwnerById } from "../../domain/identity/owners/queries.ts";
import { findAccount } from "../../domain/identity/users/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentPublicKey } from "./present.ts";
import { CreateKeyOption, PublicKey } from "./schema.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";

/** With a key its user fetches from and pushes to all repositories that they may. */
const opensRepositories = ["repository"] as const;
const id = rowId("Id of the key");
const listQuery = {
  fingerprint: t.Optional(t.String({ description: "Only the key with this fingerprint" })),
  ...pagingQuery,
};

/** The user of the path. */
const named = { user: { may: { on: "user", do: "see" }, named: { user: "username" } } } as const;

/** The public keys of users: one's own, those of others, and what site administrators do for others. */
export function userKeyRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  /** Only the user and site administrators see it; null for everybody else. */
  async function accountFor(viewer: Actor, owner: OwnerRow) {
    return viewer.id === owner.id ? viewer : viewer.isAdmin ? findAccount(database.db, owner.id) : null;
  }

  async function list(
    request: Request,
    owner: OwnerRow,
    viewer: Actor,
    query: { page?: number; limit?: number; fingerprint?: string },
  ) {
    const account = await accountFor(viewer, owner);
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listUserKeys(database.db, owner.id, { fingerprint: query.fingerprint }, page),
      (row) => presentPublicKey(addresses, row, owner, viewer, account),
    );
  }

  async function create(doer: UserDoer, owner: OwnerRow, body: { title: string; key: string; read_only?: boolean }) {
    if (body.read_only === true) {
      throw new InvalidInput(
        "read_only must be false: a user's key may do what the user may; a deploy key can be read-only",
        "read_only",
      );
    }
    const row = await forge.change(doer, (work) => createUserKey(work, owner, body));
    const viewer = doer.actor;
    return created(presentPublicKey(addresses, row, owner, viewer, await accountFor(viewer, owner)));
  }

  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user/keys",
      {
        operationId: "userCurrentListKeys",
        summary: "List one's own public keys",
        query: listQuery,
        responses: ok(t.Array(PublicKey), "The keys, oldest first"),
      },
      ({ request, actor, query }) => list(request, actor, actor, query),
    )
    .post(
      "/user/keys",
      {
        operationId: "userCurrentPostKey",
        summary: "Add a public key of one's own",
        givesAccess: opensRepositories,
        body: CreateKeyOption,
        responses: made(PublicKey, "The key"),
      },
      ({ doer, body }) => create(doer, doer.actor, body),
    )
    .get(
      "/user/keys/:id",
      {
        operationId: "userCurrentGetKey",
        summary: "Get a public key of one's own, or as a site administrator that of any user",
        params: { id },
        responses: { ...ok(PublicKey, "The key"), ...notFound },
      },
      async ({ actor, params }) => {
        const row = await findUserKey(database.db, params.id, actor.isAdmin ? null : actor.id);
        const owner = row === null || row.userId === actor.id ? actor : await findOwnerById(database.db, row.userId);
        if (row === null || owner === null) {
          throw new NotFound("public key", String(params.id));
        }
        return presentPublicKey(addresses, row, owner, actor, await accountFor(actor, owner));
      },
    )
    .delete(
      "/user/keys/:id",
      {
        operationId: "userCurrentDeleteKey",
        summary: "Delete a public key of one's own",
        params: { id },
        responses: { ...done, ...notFound },
      },
      async ({ doer, actor, params }) => {
        await forge.change(doer, (work) => deleteUserKey(work, actor, params.id));
        return empty();
      },
    )
    .get(
      "/users/:username/keys",
      {
        operationId: "userListKeys",
        summary: "List a user's public keys",
        may: { on: "owner", do: "see" },
        signedIn: true,
        query: listQuery,
        responses: ok(t.Array(PublicKey), "The keys, oldest first"),
      },
      ({ request, actor, owner: { owner }, query }) => list(request, owner, actor, query),
    )
    .post(
      "/admin/users/:username/keys",
      {
        operationId: "adminCreatePublicKey",
        summary: "Add a public key for a user",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        givesAccess: ["user", ...opensRepositories],
        also: named,
        body: CreateKeyOption,
        responses: { ...made(PublicKey, "The key"), ...notFound },
      },
      ({ doer, also, body }) => create(doer, also.user.owner, body),
    )
    .delete(
      "/admin/users/:username/keys/:id",
      {
        operationId: "adminDeleteUserPublicKey",
        summary: "Delete a public key of a user",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        params: { id },
        also: named,
        responses: { ...done, ...notFound },
      },
      async ({ doer, also, params }) => {
        await forge.change(doer, (work) => deleteUserKey(work, also.user.owner, params.id));
        return empty();
      },
    );
}
