import { t } from "elysia";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Doer } from "../../domain/doer.ts";
import { NotFound } from "../../domain/errors.ts";
import { blockUser, unblockUser } from "../../domain/social/block-user.ts";
import { findVisibleUser, isBlockingNamed, listBlocked, listBlockedUsers } from "../../domain/social/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, invalid, no, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { BlockedUser } from "./schema.ts";

/** Users and organizations keep others away from what is theirs; at the addresses of both lines of the family. */
export function blockRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function list(request: Request, query: { page?: number; limit?: number }, blockerId: number) {
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listBlocked(database.db, blockerId, page),
      (row) => ({ block_id: row.blockedId, created_at: row.createdAt.toISOString() }),
    );
  }

  const listUsers = (asked: AskedForList & { actor: Actor }, blockerId: number) =>
    userPage(addresses, asked, (page) => listBlockedUsers(database.db, asked, blockerId, page));

  async function find(viewer: Viewer, name: string): Promise<OwnerRow> {
    const user = await findVisibleUser(database.db, viewer, name);
    if (user === null) {
      throw new NotFound("user", name);
    }
    return user;
  }

  async function add(asked: Viewer & { doer: Doer }, blocker: OwnerRow, name: string) {
    const user = await find(asked, name);
    await forge.change(asked.doer, (work) => blockUser(work, blocker, user));
    return empty();
  }

  async function remove(asked: Viewer & { doer: Doer }, blocker: OwnerRow, name: string) {
    const user = await find(asked, name);
    await forge.change(asked.doer, (work) => unblockUser(work, blocker, user));
    return empty();
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
      (asked) => add(asked, asked.actor, asked.params.username),
    )
    .put(
      "/user/unblock/:username",
      {
        operationId: "userUnblockUser",
        summary: "No longer block a user",
        responses: { ...done, ...notFound, ...invalid },
      },
      (asked) => remove(asked, asked.actor, asked.params.username),
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
      (asked) => add(asked, asked.owner.owner, asked.params.username),
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
      (asked) => remove(asked, asked.owner.owner, asked.params.username),
    )
    .get(
      "/user/blocks",
      {
        operationId: "userListBlocks",
        summary: "List the users that the signed-in user blocked",
        query: pagingQuery,
        responses: ok(t.Array(User), "The users, who was blocked last first"),
      },
      (asked) => listUsers(asked, asked.actor.id),
    )
    .get(
      "/user/blocks/:username",
      {
        operationId: "userCheckBlock",
        summary: "Ask whether the signed-in user blocked a user",
        responses: { ...done, ...no },
      },
      async ({ actor, credential, params }) =>
        yesOrNo(await isBlockingNamed(database.db, { actor, credential }, actor.id, params.username)),
    )
    .put(
      "/user/blocks/:username",
      {
        operationId: "userAddBlock",
        summary: "Block a user",
        responses: { ...done, ...notFound, ...invalid },
      },
      (asked) => add(asked, asked.actor, asked.params.username),
    )
    .delete(
      "/user/blocks/:username",
      {
        operationId: "userRemoveBlock",
        summary: "No longer block a user",
        responses: { ...done, ...notFound },
      },
      (asked) => remove(asked, asked.actor, asked.params.username),
    )
    .get(
      "/orgs/:org/blocks",
      {
        operationId: "orgListBlocks",
        summary: "List the users that an organization blocked",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        query: pagingQuery,
        responses: ok(t.Array(User), "The users, who was blocked last first"),
      },
      (asked) => listUsers(asked, asked.owner.owner.id),
    )
    .get(
      "/orgs/:org/blocks/:username",
      {
        operationId: "orgCheckBlock",
        summary: "Ask whether an organization blocked a user",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...no },
      },
      async ({ actor, credential, owner, params }) =>
        yesOrNo(await isBlockingNamed(database.db, { actor, credential }, owner.owner.id, params.username)),
    )
    .put(
      "/orgs/:org/blocks/:username",
      {
        operationId: "orgAddBlock",
        summary: "Block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...notFound, ...invalid },
      },
      (asked) => add(asked, asked.owner.owner, asked.params.username),
    )
    .delete(
      "/orgs/:org/blocks/:username",
      {
        operationId: "orgRemoveBlock",
        summary: "No longer block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...notFound },
      },
      (asked) => remove(asked, asked.owner.owner, asked.params.username),
    );
}
