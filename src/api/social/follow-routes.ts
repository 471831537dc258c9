import { Elysia, t } from "elysia";
import type { OwnerAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import { followUser } from "../../domain/social/follow-user.ts";
import { isFollowing, isFollowingNamed, listRelatedUsers, removeFollow } from "../../domain/social/queries.ts";
import type { Api } from "../common/api.ts";
import type { AskedForList } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, forbidden, invalid, no, notFound, ok, signInNeeded } from "../common/responses.ts";
import { pagingQuery } from "../common/schema.ts";
import { User } from "../users/schema.ts";
import { userPage } from "../users/user-page.ts";

const userParams = t.Object({ username: t.String({ description: "Name of the user" }) });

/** The user of the path; an organization follows nobody and is not followed. */
export function userOf({ owner }: OwnerAccess) {
  if (owner.kind !== "user") {
    throw new NotFound("user", owner.name);
  }
  return owner;
}

/** Who follows whom. */
export function followRoutes({ forge, endpoint }: Api) {
  const { addresses, database } = forge;

  const list = (asked: AskedForList, kind: "followers" | "following", ofId: number) => userPage(addresses, asked, (page) => listRelatedUsers(database.db, asked, kind, ofId, page));

  const ownList = {
    tag: "user",
    scopes: ["user"],
    may: { on: "account", do: "act-as-self" },
    signedIn: true,
    query: t.Object(pagingQuery),
    responses: { ...ok(t.Array(User), "The users"), ...signInNeeded, ...forbidden },
  } as const;
  const listOf = {
    tag: "user",
    scopes: ["user"],
    may: { on: "owner", do: "see" },
    signedIn: true,
    params: userParams,
    query: t.Object(pagingQuery),
    responses: { ...ok(t.Array(User), "The users"), ...signInNeeded, ...notFound },
  } as const;
  const follows = {
    tag: "user",
    scopes: ["user"],
    may: { on: "owner", do: "see" },
    signedIn: true,
    params: userParams,
    responses: { ...done, ...signInNeeded, ...forbidden, ...notFound },
  } as const;

  return new Elysia()
    .get("/user/followers", ...endpoint({ ...ownList, operationId: "userCurrentListFollowers", summary: "List the followers of the signed-in user" }, (asked) => list(asked, "followers", asked.actor.id)))
    .get("/user/following", ...endpoint({ ...ownList, operationId: "userCurrentListFollowing", summary: "List whom the signed-in user follows" }, (asked) => list(asked, "following", asked.actor.id)))
    .get("/users/:username/followers", ...endpoint({ ...listOf, operationId: "userListFollowers", summary: "List the followers of a user" }, (asked) => list(asked, "followers", userOf(asked.owner).id)))
    .get("/users/:username/following", ...endpoint({ ...listOf, operationId: "userListFollowing", summary: "List whom a user follows" }, (asked) => list(asked, "following", userOf(asked.owner).id)))
    .get(
      "/user/following/:username",
      ...endpoint({ ...follows, operationId: "userCurrentCheckFollowing", summary: "Ask whether the signed-in user follows another", responses: { ...follows.responses, ...no } }, async ({ actor, owner }) =>
        empty((await isFollowing(database.db, actor.id, userOf(owner).id)) ? 204 : 404),
      ),
    )
    .put(
      "/user/following/:username",
      ...endpoint({ ...follows, operationId: "userCurrentPutFollow", summary: "Follow a user", responses: { ...follows.responses, ...invalid } }, async ({ actor, owner }) => {
        await database.db.transaction((tx) => followUser(tx, actor.id, userOf(owner)));
        return empty();
      }),
    )
    .delete(
      "/user/following/:username",
      ...endpoint({ ...follows, operationId: "userCurrentDeleteFollow", summary: "No longer follow a user" }, async ({ actor, owner }) => {
        await database.db.transaction((tx) => removeFollow(tx, actor.id, userOf(owner).id));
        return empty();
      }),
    )
    .get(
      "/users/:username/following/:target",
      ...endpoint(
        {
          operationId: "userCheckFollowing",
          tag: "user",
          summary: "Ask whether one user follows another",
          scopes: ["user"],
          may: { on: "owner", do: "see" },
          signedIn: true,
          params: t.Object({ ...userParams.properties, target: t.String({ description: "Name of the other user" }) }),
          responses: { ...done, ...signInNeeded, ...no },
        },
        async ({ actor, credential, owner, params }) =>
          empty((await isFollowingNamed(database.db, { actor, credential }, userOf(owner).id, params.target)) ? 204 : 404),
      ),
    );
}
