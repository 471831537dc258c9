import { t } from "elysia";
import type { Actor, OwnerAccess, OwnerRow } from "../../auth/subject.ts";
import { searchUsers } from "../../domain/identity/users/list-queries.ts";
import { findAccount, findAccounts } from "../../domain/identity/users/queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { ok } from "../common/responses.ts";
import { integer, pagingQuery, searchText } from "../common/schema.ts";
import { presentOwner } from "./present.ts";
import { User } from "./schema.ts";

export function userRoutes({ forge, group }: Api) {
  /** Fields that only the user and site administrators see; null for everybody else. */
  async function accountFor(viewer: Actor | null, { owner }: OwnerAccess) {
    return viewer?.id === owner.id
      ? viewer
      : viewer?.isAdmin === true
        ? findAccount(forge.database.db, owner.id)
        : null;
  }

  /** Does so for many users, by their ids. */
  async function accountsFor(viewer: Actor | null, owners: readonly OwnerRow[]) {
    const shown = owners.filter(({ id }) => viewer !== null && (viewer.isAdmin || viewer.id === id));
    return findAccounts(
      forge.database.db,
      shown.map(({ id }) => id),
    );
  }

  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user",
      { operationId: "userGetCurrent", summary: "Get the signed-in user", responses: ok(User, "The user") },
      ({ actor }) => presentOwner(forge.addresses, actor, actor, actor),
    )
    .get(
      "/users/search",
      {
        operationId: "userSearch",
        summary: "Search users",
        description: "Among the users that the caller may know of; organizations are not among them.",
        may: { on: "instance", do: "use" },
        query: {
          q: searchText("Part of the name or full name, or a whole e-mail address"),
          uid: t.Optional(integer({ description: "Only the user with this id" })),
          ...pagingQuery,
        },
        responses: ok(t.Object({ ok: t.Boolean(), data: t.Array(User) }), "The users, by name"),
      },
      async ({ request, actor, credential, query }) => {
        const search = {
          text: query.q ?? "",
          ...(query.uid === undefined ? {} : { id: query.uid }),
        };
        return pageOf(
          { request, query, base: forge.addresses.base },
          async (page) => {
            const { rows, total } = await searchUsers(forge.database.db, { actor, credential }, search, page);
            const accounts = await accountsFor(actor, rows);
            return { rows: rows.map((owner) => ({ owner, account: accounts.get(owner.id) ?? null })), total };
          },
          ({ owner, account }) => presentOwner(forge.addresses, owner, actor, account),
          (data) => ({ ok: true, data }),
        );
      },
    )
    .get(
      "/users/:username",
      {
        operationId: "userGet",
        summary: "Get a user, or an organization as one",
        may: { on: "owner", do: "see" },
        params: { username: t.String({ description: "Name of the user or organization" }) },
        responses: ok(User, "The user"),
      },
      async ({ actor, owner }) => presentOwner(forge.addresses, owner.owner, actor, await accountFor(actor, owner)),
    );
}
