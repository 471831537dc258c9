import { t, type Static } from "elysia";
import { addEmails } from "../../domain/identity/users/add-emails.ts";
import { deleteEmails } from "../../domain/identity/users/delete-emails.ts";
import { listEmails, listUserEmails, type EmailRow } from "../../domain/identity/users/email-queries.ts";
import type { Api } from "../common/api.ts";
import { pageOf } from "../common/paging.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, notFound, ok } from "../common/responses.ts";
import { pagingQuery, searchText } from "../common/schema.ts";
import { CreateEmailOption, DeleteEmailOption, Email } from "./schema.ts";

function present({ email, verified, primary, userId }: EmailRow, username: string): Static<typeof Email> {
  return { email, verified, primary, user_id: userId, username };
}

/** The e-mail addresses of users: one's own, and everybody's for site administrators. */
export function emailRoutes({ forge, group }: Api) {
  const { addresses, database } = forge;

  async function list(request: Request, text: string, query: { page?: number; limit?: number }) {
    return pageOf(
      { request, query, base: addresses.base },
      (page) => listEmails(database.db, text, page),
      ({ row, username }) => present(row, username),
    );
  }

  return group("", { tag: "user", scopes: ["user"], may: { on: "account", do: "act-as-self" } })
    .get(
      "/user/emails",
      {
        operationId: "userListEmails",
        summary: "List one's own e-mail addresses",
        responses: ok(t.Array(Email), "The addresses, oldest first"),
      },
      async ({ actor }) => (await listUserEmails(database.db, actor.id)).map((row) => present(row, actor.name)),
    )
    .post(
      "/user/emails",
      {
        operationId: "userAddEmail",
        summary: "Add e-mail addresses",
        description:
          "All of them or none. Each is sent a mail with a link that verifies it, where the server sends mail; elsewhere an administrator verifies it.",
        body: CreateEmailOption,
        responses: made(t.Array(Email), "The new addresses"),
      },
      async ({ doer, actor, body }) =>
        created((await addEmails(forge, doer, actor, body.emails ?? [])).map((row) => present(row, actor.name))),
    )
    .delete(
      "/user/emails",
      {
        operationId: "userDeleteEmail",
        summary: "Delete e-mail addresses",
        description: "All of them or none; the primary one stays.",
        body: DeleteEmailOption,
        responses: { ...done, ...notFound },
      },
      async ({ doer, actor, body }) => {
        await forge.change(doer, (work) => deleteEmails(work, actor, body.emails ?? []));
        return empty();
      },
    )
    .get(
      "/admin/emails",
      {
        operationId: "adminGetAllEmails",
        summary: "List the e-mail addresses of all users",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        query: pagingQuery,
        responses: ok(t.Array(Email), "The addresses, in the order of the alphabet"),
      },
      ({ request, query }) => list(request, "", query),
    )
    .get(
      "/admin/emails/search",
      {
        operationId: "adminSearchEmails",
        summary: "Search the e-mail addresses of all users",
        tag: "admin",
        scopes: ["admin"],
        may: { on: "instance", do: "administer" },
        query: {
          q: searchText("Part of an address or of its user's name"),
          ...pagingQuery,
        },
        responses: ok(t.Array(Email), "The addresses, in the order of the alphabet"),
      },
      ({ request, query }) => list(request, query.q ?? "", query),
    );
}
