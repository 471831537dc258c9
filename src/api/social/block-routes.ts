import { Elysia, t } from "elysia";
import type { Actor, Credential, OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import { blockUser } from "../../domain/social/block-user.ts";
import { findVisibleUser, listBlocked, removeBlock } from "../../domain/social/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { BlockedUser } from "./schema.ts";

const username = t.String({ description: "Name of the user" });
const org = t.String({ description: "Name of the organization" });

/** Users and organizations keep others away from what is theirs. */
export function blockRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;

  async function list(request: Request, query: { page?: number; limit?: number }, blockerId: number) {
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listBlocked(database.db, blockerId, page),
      (row) => ({ block_id: row.blockedId, created_at: row.createdAt.toISOString() }),
    );
  }

  async function find(viewer: { actor: Actor; credential: Credential }, name: string): Promise<OwnerRow> {
    const user = await findVisibleUser(database.db, viewer, name);
    if (user === null) {
      throw new NotFound("user", name);
    }
    return user;
  }

  const own = { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" }, signedIn: true } as const;
  const ofOrganization = { tag: "organization", scopes: ["organization"], may: { on: "organization", do: "manage" }, signedIn: true } as const;
  const changes = { responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid } } as const;

  return new Elysia()
    .get(
      "/user/list_blocked",
      ...endpoint(
        {
          ...own,
          operationId: "userListBlockedUsers",
          summary: "List whom the signed-in user blocked",
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(BlockedUser), "The blocks, the newest first"), ...signInNeeded, ...forbidden },
        },
        ({ request, actor, query }) => list(request, query, actor.id),
      ),
    )
    .put(
      "/user/block/:username",
      ...endpoint({ ...own, ...changes, operationId: "userBlockUser", summary: "Block a user", params: t.Object({ username }) }, async ({ actor, credential, params }) => {
        const user = await find({ actor, credential }, params.username);
        await database.db.transaction((tx) => blockUser(tx, actor, user));
        return empty();
      }),
    )
    .put(
      "/user/unblock/:username",
      ...endpoint({ ...own, ...changes, operationId: "userUnblockUser", summary: "No longer block a user", params: t.Object({ username }) }, async ({ actor, credential, params }) => {
        const user = await find({ actor, credential }, params.username);
        await database.db.transaction((tx) => removeBlock(tx, actor.id, user.id));
        return empty();
      }),
    )
    .get(
      "/orgs/:org/list_blocked",
      ...endpoint(
        {
          ...ofOrganization,
          operationId: "orgListBlockedUsers",
          summary: "List whom an organization blocked",
          params: t.Object({ org }),
          query: t.Object(pagingQuery),
          responses: { ...ok(t.Array(BlockedUser), "The blocks, the newest first"), ...signInNeeded, ...forbidden, ...notFound },
        },
        ({ request, owner, query }) => list(request, query, owner.owner.id),
      ),
    )
    .put(
      "/orgs/:org/block/:username",
      ...endpoint(
        { ...ofOrganization, ...changes, operationId: "orgBlockUser", summary: "Block a user in an organization", params: t.Object({ org, username }) },
        async ({ actor, credential, owner, params }) => {
          const user = await find({ actor, credential }, params.username);
          await database.db.transaction((tx) => blockUser(tx, owner.owner, user));
          return empty();
        },
      ),
    )
    .put(
      "/orgs/:org/unblock/:username",
      ...endpoint(
        { ...ofOrganization, ...changes, operationId: "orgUnblockUser", summary: "No longer block a user in an organization", params: t.Object({ org, username }) },
        async ({ actor, credential, owner, params }) => {
          const user = await find({ actor, credential }, params.username);
          await database.db.transaction((tx) => removeBlock(tx, owner.owner.id, user.id));
          return empty();
        },
      ),
    );
}
