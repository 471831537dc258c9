import { t } from "elysia";
import { followUser, unfollowUser } from "../../domain/identity/social/follow-user.ts";
import { isFollowing, listRelatedUsers } from "../../domain/identity/social/queries.ts";
import type { Api } from "../common/api.ts";
import type { AskedForList } from "../common/paging.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { done, invalid, no, ok } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";

/** Followers of users. */
export function followRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  const list = (asked: AskedForList, kind: "followers" | "following", ofId: number) =>
    userPage(addresses, asked, (page) => listRelatedUsers(database.db, asked, kind, ofId, page));

  return group("", { tag: "user", scopes: ["user"], may: { on: "user", do: "see" } })
    .get(
      "/user/followers",
      {
        operationId: "userCurrentListFollowers",
        summary: "List the followers of the signed-in user",
        may: { on: "account", do: "act-as-self" },
        query: pagingQuery,
        responses: ok(t.Array(User), "The users"),
      },
      (asked) => list(asked, "followers", asked.actor.id),
    )
    .get(
      "/user/following",
      {
        operationId: "userCurrentListFollowing",
        summary: "List whom the signed-in user follows",
        may: { on: "account", do: "act-as-self" },
        query: pagingQuery,
        responses: ok(t.Array(User), "The users"),
      },
      (asked) => list(asked, "following", asked.actor.id),
    )
    .get(
      "/users/:username/followers",
      {
        operationId: "userListFollowers",
        summary: "List the followers of a user",
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(User), "The users"),
      },
      (asked) => list(asked, "followers", asked.owner.owner.id),
    )
    .get(
      "/users/:username/following",
      {
        operationId: "userListFollowing",
        summary: "List whom a user follows",
        signedIn: true,
        query: pagingQuery,
        responses: ok(t.Array(User), "The users"),
      },
      (asked) => list(asked, "following", asked.owner.owner.id),
    )
    .get(
      "/user/following/:username",
      {
        operationId: "userCurrentCheckFollowing",
        summary: "Ask whether the signed-in user follows another",
        signedIn: true,
        responses: { ...done, ...no },
      },
      async ({ actor, owner }) => yesOrNo(await isFollowing(database.db, actor.id, owner.owner.id)),
    )
    .put(
      "/user/following/:username",
      { operationId: "userCurrentPutFollow", summary: "Follow a user", responses: { ...done, ...invalid } },
      async ({ doer, actor, owner }) => {
        await forge.change(doer, (work) => followUser(work, actor, owner.owner));
        return empty();
      },
    )
    .delete(
      "/user/following/:username",
      { operationId: "userCurrentDeleteFollow", summary: "No longer follow a user", responses: done },
      async ({ doer, actor, owner }) => {
        await forge.change(doer, (work) => unfollowUser(work, actor, owner.owner));
        return empty();
      },
    )
    .get(
      "/users/:username/following/:target",
      {
        operationId: "userCheckFollowing",
        summary: "Ask whether one user follows another",
        signedIn: true,
        params: { target: t.String({ description: "Name of the other user" }) },
        also: { target: { may: { on: "user", do: "see" }, named: { user: "target" } } },
        responses: { ...done, ...no },
      },
      async ({ owner, also }) => yesOrNo(await isFollowing(database.db, owner.owner.id, also.target.owner.id)),
    );
}
