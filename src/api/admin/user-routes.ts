import { Elysia, t, type Static } from "elysia";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import { NotFound } from "../../domain/errors.ts";
import { renameOwner } from "../../domain/owners/rename-owner.ts";
import { findOwner } from "../../domain/repos/queries.ts";
import { createUser } from "../../domain/users/create-user.ts";
import { deleteUser } from "../../domain/users/delete-user.ts";
import { editUser, type UserPatch } from "../../domain/users/edit-user.ts";
import { listUsers, userSortKeys } from "../../domain/users/list-queries.ts";
import { findAccount } from "../../domain/users/queries.ts";
import { retryDeadlocks } from "../../db/retry-deadlocks.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { accountCreatedMail } from "../../mail/messages.ts";
import type { Api } from "../common/api.ts";
import { readInstant } from "../common/instants.ts";
import { present } from "../common/present-fields.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { badRequest, done, forbidden, invalid, made, notFound, ok, signInNeeded } from "../common/responses.ts";
import { integer, oneOf, pagingQuery } from "../common/schema.ts";
import { presentOwner } from "../users/present.ts";
import { User } from "../users/schema.ts";
import { CreateUserOption, EditUserOption, RenameUserOption } from "./schema.ts";

const administer = { tag: "admin", scopes: ["admin"], may: { on: "instance", do: "administer" }, signedIn: true } as const;
const params = t.Object({ username: t.String({ description: "Name of the user" }) });

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

/** What site administrators do with users. */
export function adminUserRoutes({ forge, endpoint }: Api) {
  const { addresses, config, database, mailer } = forge;
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

  async function create(viewer: Actor, body: Static<typeof CreateUserOption>) {
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
    await db.transaction((tx) => createUser(tx, user, config.auth.password_min_length));
    const owner = await getUser(body.username);
    if (body.send_notify === true) {
      mailer.send(accountCreatedMail({ to: owner.email, name: owner.name, server: addresses.hostname }, addresses.base));
    }
    return created(await presentWhole(owner, viewer));
  }

  return new Elysia({ prefix: "/admin/users" })
    .get(
      "",
      ...endpoint(
        {
          ...administer,
          operationId: "adminSearchUsers",
          summary: "List all users",
          query: t.Object({
            source_id: t.Optional(integer({ description: "Only users of this outside sign-in source; 0: of this server, which all are" })),
            login_name: t.Optional(t.String({ description: "Only the user with this name at an outside sign-in source" })),
            sort: t.Optional(oneOf(userSortKeys, "Order of the list; alphabetically where nothing is said")),
            ...pagingQuery,
          }),
          responses: { ...ok(t.Array(User), "The users"), ...signInNeeded, ...forbidden, ...invalid },
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
      ),
    )
    .post(
      "",
      ...endpoint(
        {
          ...administer,
          operationId: "adminCreateUser",
          summary: "Create a user",
          body: CreateUserOption,
          responses: { ...made(User, "The user"), ...badRequest, ...signInNeeded, ...forbidden, ...invalid },
        },
        ({ actor, body }) => create(actor, body),
      ),
    )
    .patch(
      "/:username",
      ...endpoint(
        {
          ...administer,
          operationId: "adminEditUser",
          summary: "Change a user",
          params,
          body: EditUserOption,
          responses: { ...ok(User, "The user"), ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ actor, params: { username }, body }) => {
          const patch = readPatch(body);
          const user = await getUser(username);
          const owner = await db.transaction((tx) => editUser(tx, user, patch, config.auth.password_min_length));
          return presentWhole(owner, actor);
        },
      ),
    )
    .delete(
      "/:username",
      ...endpoint(
        {
          ...administer,
          operationId: "adminDeleteUser",
          summary: "Delete a user",
          params,
          query: t.Object({ purge: t.Optional(t.Boolean({ description: "With all that they own: repositories, and organizations that nobody else owns" })) }),
          responses: { ...done, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ params: { username }, query }) => {
          const user = await getUser(username);
          await retryDeadlocks(() => db.transaction((tx) => deleteUser(tx, user, query.purge === true)));
          return empty();
        },
      ),
    )
    .post(
      "/:username/rename",
      ...endpoint(
        {
          ...administer,
          operationId: "adminRenameUser",
          summary: "Give a user another name",
          description: "The old name leads to the user until somebody else takes it.",
          params,
          body: RenameUserOption,
          responses: { ...done, ...badRequest, ...signInNeeded, ...forbidden, ...notFound, ...invalid },
        },
        async ({ params: { username }, body }) => {
          const user = await getUser(username);
          await db.transaction((tx) => renameOwner(tx, user.id, body.new_username, "new_username"));
          return empty();
        },
      ),
    );
}
