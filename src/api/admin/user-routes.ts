import { t, type Static } from "elysia";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { renameOwner } from "../../domain/identity/owners/rename-owner.ts";
import { findOwner } from "../../domain/identity/owners/queries.ts";
import { createUser } from "../../domain/identity/users/create-user.ts";
import { deleteUser } from "../../domain/server/deletion/delete-user.ts";
import { editUser, type UserPatch } from "../../domain/identity/users/edit-user.ts";
import { listUsers, userSortKeys } from "../../domain/identity/users/list-queries.ts";
import { findAccount } from "../../domain/identity/users/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { newJob } from "../../queue/enqueue.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { present } from "../common/present-fields.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, notFound, ok } from "../common/responses.ts";
import { integer, oneOf, pagingQuery } from "../common/schema.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { CreateUserOption, EditUserOption, RenameUserOption } from "./schema.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";

function checkSource(sourceId: number | undefined): void {
  if (sourceId !== undefined && sourceId !== 0) {
    throw new InvalidInput(`There is no sign-in source ${sourceId}: users sign in with this server`, "source_id");
  }
}

function readPatch(body: Static<typeof EditUserOption>): UserPatch {
  checkSource(body.source_id);
  return {
    ...present({
      email: body.email,
      password: body.password || undefined,
      fullName: body.full_name,
      description: body.description,
      website: body.website,
      location: body.location,
      pronouns: body.pronouns,
      visibility: body.visibility || undefined,
    }),
    account: present({
      isAdmin: body.admin,
      active: body.active,
      suspended: body.prohibit_login,
      restricted: body.restricted,
      mustChangePassword: body.must_change_password,
      maxRepositories: body.max_repo_creation,
      mayCreateOrganizations: body.allow_create_organization,
      loginName: body.login_name,
    }),
  };
}

/** The user of the path. */
const named = { user: { may: { on: "user", do: "see" }, named: { user: "username" } } } as const;

/** Operations of site administrators on users. */
export function adminUserRoutes({ forge, group }: Api) {
  const { addresses, config, database, mail } = forge;
  const { db } = database;

  async function getUser(name: string): Promise<OwnerRow> {
    const owner = await findOwner(db, name);
    if (owner?.kind !== "user") {
      throw new NotFound("user", name);
    }
    return owner;
  }

  async function presentWhole(owner: OwnerRow, viewer: Actor) {
    return presentOwner(addresses, owner, viewer, await findAccount(db, owner.id));
  }

  async function create(doer: UserDoer, body: Static<typeof CreateUserOption>) {
    checkSource(body.source_id);
    if (!body.password) {
      throw new InvalidInput("password is required", "password");
    }
    const user = {
      username: body.username,
      email: body.email,
      password: body.password,
      fullName: body.full_name ?? "",
      mustChangePassword: body.must_change_password ?? false,
      restricted: body.restricted ?? false,
      visibility: body.visibility || ("public" as const),
      loginName: body.login_name ?? "",
      ...(body.created_at == null ? {} : { createdAt: readInstant(body.created_at, "created_at") }),
    };
    await forge.change(doer, async (work) => {
      const userId = await createUser(work, user, config.auth.password_min_length);
      if (body.send_notify === true && mail.mailer.configured) {
        await work.enqueue(newJob("mail", { about: "account-created", userId }));
      }
    });
    const owner = await getUser(body.username);
    return created(await presentWhole(owner, doer.actor));
  }

  return group("/admin/users", { tag: "admin", scopes: ["admin"], may: { on: "instance", do: "administer" } })
    .get(
      "",
      {
        operationId: "adminSearchUsers",
        summary: "List all users",
        query: {
          source_id: t.Optional(
            integer({ description: "Only users of this outside sign-in source; 0: of this server, which all are" }),
          ),
          login_name: t.Optional(
            t.String({ description: "Only the user with this name at an outside sign-in source" }),
          ),
          sort: t.Optional(oneOf(userSortKeys, "Order of the list; alphabetically where nothing is said")),
          ...pagingQuery,
        },
        responses: ok(t.Array(User), "The users"),
      },
      async ({ request, actor, query }) => {
        const none = query.source_id !== undefined && query.source_id !== 0;
        const filter = query.login_name === undefined ? { none } : { none, loginName: query.login_name };
        return pageOf(
          { request, query, base: addresses.base },
          (page) => listUsers(db, filter, query.sort ?? "alphabetically", page),
          ({ owner, account }) => presentOwner(addresses, owner, actor, account),
        );
      },
    )
    .post(
      "",
      {
        operationId: "adminCreateUser",
        summary: "Create a user",
        body: CreateUserOption,
        responses: made(User, "The user"),
      },
      ({ doer, body }) => create(doer, body),
    )
    .patch(
      "/:username",
      {
        operationId: "adminEditUser",
        summary: "Change a user",
        description:
          "A token that sets `password`, `email` or `admin` needs the scopes of all that the account opens, too.",
        givesAccess: "by some changes",
        body: EditUserOption,
        also: named,
        responses: { ...ok(User, "The user"), ...notFound },
      },
      async ({ doer, actor, also, body }) => {
        const patch = readPatch(body);
        const user = also.user.owner;
        const owner = await forge.change(doer, (work) => editUser(work, user, patch, config.auth.password_min_length));
        return presentWhole(owner, actor);
      },
    )
    .delete(
      "/:username",
      {
        operationId: "adminDeleteUser",
        summary: "Delete a user",
        query: {
          purge: t.Optional(
            t.Boolean({
              description: "With all that they own: repositories, and organizations that nobody else owns",
            }),
          ),
        },
        also: named,
        responses: { ...done, ...notFound },
      },
      async ({ doer, also, query }) => {
        await forge.change(doer, (work) => deleteUser(work, also.user.owner, query.purge === true));
        return empty();
      },
    )
    .post(
      "/:username/rename",
      {
        operationId: "adminRenameUser",
        summary: "Give a user another name",
        description: "The old name leads to the user until somebody else takes it.",
        body: RenameUserOption,
        also: named,
        responses: { ...done, ...notFound },
      },
      async ({ doer, also, body }) => {
        await forge.change(doer, (work) => renameOwner(work, also.user.owner.id, body.new_username, "new_username"));
        return empty();
      },
    );
}
