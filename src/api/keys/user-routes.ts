import { Elysia, t } from "elysia";
import { isPublicOnly } from "../../auth/authorize.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import { Forbidden, NotFound } from "../../domain/errors.ts";
import { createUserKey } from "../../domain/keys/create-user-key.ts";
import { deleteUserKey } from "../../domain/keys/delete-user-key.ts";
import { findUserKey, listUserKeys } from "../../domain/keys/queries.ts";
import { findOwner } from "../../domain/repos/queries.ts";
import { findAccount } from "../../domain/users/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { badRequest, done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { presentPublicKey } from "./present.ts";
import { CreateKeyOption, PublicKey } from "./schema.ts";

const asSelf = { scopes: ["user"], may: { on: "account", do: "act-as-self" }, signedIn: true } as const;
const administer = { scopes: ["admin"], may: { on: "instance", do: "administer" }, signedIn: true } as const;
const username = t.String({ description: "Name of the user" });
const id = rowId("Id of the key");
const listQuery = t.Object({ fingerprint: t.Optional(t.String({ description: "Only the key with this fingerprint" })), ...pagingQuery });

/** The public keys of users: one's own, those of others, and what site administrators do for others. */
export function userKeyRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;

  async function list(request: Request, owner: OwnerRow, viewer: Actor, query: { page?: number; limit?: number; fingerprint?: string }) {
    const account = viewer.id === owner.id ? viewer : viewer.isAdmin ? await findAccount(database.db, owner.id) : null;
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listUserKeys(database.db, owner.id, { fingerprint: query.fingerprint }, page),
      (row) => presentPublicKey(addresses, row, owner, viewer, account),
    );
  }

  async function create(owner: OwnerRow, viewer: Actor, body: { title: string; key: string; read_only?: boolean }) {
    if (body.read_only === true) {
      throw new InvalidInput("read_only must be false: a user's key may do what the user may; a deploy key can be read-only", "read_only");
    }
    const row = await database.db.transaction((tx) => createUserKey(tx, owner, body));
    const account = viewer.id === owner.id ? viewer : await findAccount(database.db, owner.id);
    return created(presentPublicKey(addresses, row, owner, viewer, account));
  }

  async function getUser(name: string): Promise<OwnerRow> {
    const owner = await findOwner(database.db, name);
    if (owner?.kind !== "user") {
      throw new NotFound("user", name);
    }
    return owner;
  }

  return new Elysia()
    .get(
      "/user/keys",
      ...endpoint(
        {
          ...asSelf,
          operationId: "userCurrentListKeys",
          tag: "user",
          summary: "List one's own public keys",
          query: listQuery,
          responses: { ...ok(t.Array(PublicKey), "The keys, oldest first"), ...signInNeeded, ...forbidden, ...invalid },
        },
        ({ request, actor, query }) => list(request, actor, actor, query),
      ),
    )
    .post(
      "/user/keys",
      ...endpoint(
        {
          ...asSelf,
          operationId: "userCurrentPostKey",
          tag: "user",
          summary: "Add a public key of one's own",
          body: CreateKeyOption,
          responses: { ...made(PublicKey, "The key"), ...badRequest, ...signInNeeded, ...forbidden, ...invalid },
        },
        ({ actor, credential, body }) => {
          if (isPublicOnly(credential)) {
            throw new Forbidden("The token is for public things only, and a key would open all others");
          }
          return create(actor, actor, body);
        },
      ),
    )
    .get(
      "/user/keys/:id",
      ...endpoint(
        {
          ...asSelf,
          operationId: "userCurrentGetKey",
          tag: "user",
          summary: "Get a public key of one's own",
          params: t.Object({ id }),
          responses: { ...ok(PublicKey, "The key"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params }) => {
          const row = await findUserKey(database.db, params.id, actor.id);
          if (row === null) {
            throw new NotFound("public key", String(params.id));
          }
          return presentPublicKey(addresses, row, actor, actor, actor);
        },
      ),
    )
    .delete(
      "/user/keys/:id",
      ...endpoint(
        {
          ...asSelf,
          operationId: "userCurrentDeleteKey",
          tag: "user",
          summary: "Delete a public key of one's own",
          params: t.Object({ id }),
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params }) => {
          await database.db.transaction((tx) => deleteUserKey(tx, params.id, actor.id));
          return empty();
        },
      ),
    )
    .get(
      "/users/:username/keys",
      ...endpoint(
        {
          operationId: "userListKeys",
          tag: "user",
          summary: "List a user's public keys",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          signedIn: true,
          params: t.Object({ username }),
          query: listQuery,
          responses: { ...ok(t.Array(PublicKey), "The keys, oldest first"), ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        ({ request, actor, owner: { owner }, query }) => list(request, owner, actor, query),
      ),
    )
    .post(
      "/admin/users/:username/keys",
      ...endpoint(
        {
          ...administer,
          operationId: "adminCreatePublicKey",
          tag: "admin",
          summary: "Add a public key for a user",
          params: t.Object({ username }),
          body: CreateKeyOption,
          responses: { ...made(PublicKey, "The key"), ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params, body }) => create(await getUser(params.username), actor, body),
      ),
    )
    .delete(
      "/admin/users/:username/keys/:id",
      ...endpoint(
        {
          ...administer,
          operationId: "adminDeleteUserPublicKey",
          tag: "admin",
          summary: "Delete a public key of a user",
          params: t.Object({ username, id }),
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ params }) => {
          const user = await getUser(params.username);
          await database.db.transaction((tx) => deleteUserKey(tx, params.id, user.id));
          return empty();
        },
      ),
    );
}
