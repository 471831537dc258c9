import { t } from "elysia";
import type { Actor, Credential, OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import { blockUser, unblockUser } from "../../domain/social/block-user.ts";
import { findVisibleUser, listBlocked } from "../../domain/social/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, invalid, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { BlockedUser } from "./schema.ts";

/** Users and organizations keep others away from what is theirs. */
export function blockRoutes({ forge, group }: Api) {
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

  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user/list_blocked",
      {
        operationId: "userListBlockedUsers",
        summary: "List whom the signed-in user blocked",
        query: pagingQuery,
        responses: ok(t.Array(BlockedUser), "The blocks, the newest first"),
      },
      ({ request, actor, query }) => list(request, query, actor.id),
    )
    .put(
      "/user/block/:username",
      { operationId: "userBlockUser", summary: "Block a user", responses: { ...done, ...notFound, ...invalid } },
      async ({ doer, actor, credential, params }) => {
        const user = await find({ actor, credential }, params.username);
        await forge.change(doer, (work) => blockUser(work, actor, user));
        return empty();
      },
    )
    .put(
      "/user/unblock/:username",
      {
        operationId: "userUnblockUser",
        summary: "No longer block a user",
        responses: { ...done, ...notFound, ...invalid },
      },
      async ({ doer, actor, credential, params }) => {
        const user = await find({ actor, credential }, params.username);
        await forge.change(doer, (work) => unblockUser(work, actor, user));
        return empty();
      },
    )
    .get(
      "/orgs/:org/list_blocked",
      {
        operationId: "orgListBlockedUsers",
        summary: "List whom an organization blocked",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        query: pagingQuery,
        responses: ok(t.Array(BlockedUser), "The blocks, the newest first"),
      },
      ({ request, owner, query }) => list(request, query, owner.owner.id),
    )
    .put(
      "/orgs/:org/block/:username",
      {
        operationId: "orgBlockUser",
        summary: "Block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...invalid },
      },
      async ({ doer, actor, credential, owner, params }) => {
        const user = await find({ actor, credential }, params.username);
        await forge.change(doer, (work) => blockUser(work, owner.owner, user));
        return empty();
      },
    )
    .put(
      "/orgs/:org/unblock/:username",
      {
        operationId: "orgUnblockUser",
        summary: "No longer block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...invalid },
      },
      async ({ doer, actor, credential, owner, params }) => {
        const user = await find({ actor, credential }, params.username);
        await forge.change(doer, (work) => unblockUser(work, owner.owner, user));
        return empty();
      },
    );
}
