import { t } from "elysia";
import type { Actor, OwnerAccess, OwnerRow } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Doer } from "../../domain/spine/doer.ts";
import { blockUser, unblockUser } from "../../domain/identity/social/block-user.ts";
import { isBlockingNamed, listBlocked, listBlockedUsers } from "../../domain/identity/social/queries.ts";
import type { Api } from "../common/api.ts";
import { presentInstant } from "../common/instants.ts";
import { pageOf, type AskedForList } from "../common/paging.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, invalid, no, notFound, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";
import { BlockedUser } from "./schema.ts";

/** The user of the path, whom the caller may know of. */
const also = { user: { may: { on: "user", do: "see" }, named: { user: "username" } } } as const;

/** Users and organizations keep others away from what is theirs; at the addresses of both lines of the family. */
export function blockRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function list(request: Request, query: { page?: number; limit?: number }, blockerId: number) {
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listBlocked(database.db, blockerId, page),
      (row) => ({ block_id: row.blockedId, created_at: presentInstant(row.createdAt) }),
    );
  }

  const listUsers = (asked: AskedForList & { actor: Actor }, blockerId: number) =>
    userPage(addresses, asked, (page) => listBlockedUsers(database.db, asked, blockerId, page));

  async function add(doer: Doer, blocker: OwnerRow, { user }: { user: OwnerAccess }) {
    await forge.change(doer, (work) => blockUser(work, blocker, user.owner));
    return empty();
  }

  async function remove(doer: Doer, blocker: OwnerRow, { user }: { user: OwnerAccess }) {
    await forge.change(doer, (work) => unblockUser(work, blocker, user.owner));
    return empty();
  }

  /** A blocker sees whom they blocked, even if that user is hidden now. */
  const isBlocking = async (viewer: Viewer, blocker: OwnerRow, name: string) =>
    yesOrNo(await isBlockingNamed(database.db, viewer, blocker.id, name));

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
      { operationId: "userBlockUser", also, summary: "Block a user", responses: { ...done, ...notFound, ...invalid } },
      ({ doer, actor, also }) => add(doer, actor, also),
    )
    .put(
      "/user/unblock/:username",
      {
        operationId: "userUnblockUser",
        also,
        summary: "No longer block a user",
        responses: { ...done, ...notFound, ...invalid },
      },
      ({ doer, actor, also }) => remove(doer, actor, also),
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
        also,
        summary: "Block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...invalid },
      },
      ({ doer, owner, also }) => add(doer, owner.owner, also),
    )
    .put(
      "/orgs/:org/unblock/:username",
      {
        operationId: "orgUnblockUser",
        also,
        summary: "No longer block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...invalid },
      },
      ({ doer, owner, also }) => remove(doer, owner.owner, also),
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
      (asked) => isBlocking(asked, asked.actor, asked.params.username),
    )
    .put(
      "/user/blocks/:username",
      {
        operationId: "userAddBlock",
        also,
        summary: "Block a user",
        responses: { ...done, ...notFound, ...invalid },
      },
      ({ doer, actor, also }) => add(doer, actor, also),
    )
    .delete(
      "/user/blocks/:username",
      {
        operationId: "userRemoveBlock",
        also,
        summary: "No longer block a user",
        responses: { ...done, ...notFound },
      },
      ({ doer, actor, also }) => remove(doer, actor, also),
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
      (asked) => isBlocking(asked, asked.owner.owner, asked.params.username),
    )
    .put(
      "/orgs/:org/blocks/:username",
      {
        operationId: "orgAddBlock",
        also,
        summary: "Block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...notFound, ...invalid },
      },
      ({ doer, owner, also }) => add(doer, owner.owner, also),
    )
    .delete(
      "/orgs/:org/blocks/:username",
      {
        operationId: "orgRemoveBlock",
        also,
        summary: "No longer block a user in an organization",
        tag: "organization",
        scopes: ["organization"],
        may: { on: "organization", do: "manage" },
        responses: { ...done, ...notFound },
      },
      ({ doer, owner, also }) => remove(doer, owner.owner, also),
    );
}
