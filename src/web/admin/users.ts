import { createUser } from "../../domain/identity/users/create-user.ts";
import { listUsers, userKinds, type UserWithAccount } from "../../domain/identity/users/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { newJob } from "../../queue/enqueue.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { ownerLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { avatar } from "../parts/avatar.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { choiceMenu, searchForm } from "../parts/repository-search.ts";
import { counted } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { administersServer, adminLink, adminPage } from "./admin-page.ts";

const longestText = 100;
const kinds = [
  { key: "", words: "All users" },
  { key: "admins", words: "Administrators" },
  { key: "suspended", words: "Suspended" },
  { key: "inactive", words: "Inactive" },
  { key: "restricted", words: "Restricted" },
] as const;
const orders = [
  { key: "alphabetically", words: "By name" },
  { key: "newest", words: "Newest" },
  { key: "oldest", words: "Oldest" },
  { key: "recentupdate", words: "Recently changed" },
] as const;

function userItem(visit: Visit, { owner, account }: UserWithAccount): Html {
  const tags = [
    account.isAdmin && html`<span class="tag">administrator</span>`,
    account.suspended && html`<span class="tag red">suspended</span>`,
    !account.active && html`<span class="tag amber">inactive</span>`,
    account.restricted && html`<span class="tag">restricted</span>`,
  ];
  const seen = account.lastSignInAt === null ? "never signed in" : html`signed in ${ago(visit, account.lastSignInAt)}`;
  return html`<li>${avatar(visit, owner, "m")}<div class="grow"><div class="line flow"><a class="plain" href="${ownerLink(visit.root, owner.name)}"><b>${owner.name}</b></a>${owner.fullName !== "" && html`<span class="soft" dir="auto">${owner.fullName}</span>`}${tags}</div><div class="soft small">${owner.email} · made ${ago(visit, owner.createdAt)} · ${seen}</div></div><a class="button s" href="${adminLink(visit.root, `users/${encodeURIComponent(owner.name)}`)}">Edit<span class="sr"> ${owner.name}</span></a></li>`;
}

/** The users of the server, and the form for a new one. */
export function adminUserListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { config, database, mail } = forge;

  function newForm(visit: Visit, refused: Refusal | null): Page {
    const { form } = visit;
    const text = (name: string, label: string, type: string, more: Html, hint?: string) =>
      field(
        refused,
        { name, label, ...(hint === undefined ? {} : { hint }) },
        (attributes) =>
          html`<input type="${type}" ${attributes}${type !== "password" && html` value="${form.text(name)}"`} autocomplete="off" ${more}>`,
      );
    const isSent = form.has("username");
    const check = (name: string, words: string, initially: boolean) =>
      html`<label class="choice"><input type="checkbox" name="${name}" value="1"${(isSent ? form.has(name) : initially) && html` checked`}> ${words}</label>`;
    return adminPage(visit, "users", {
      status: refused?.status ?? 200,
      title: "New user",
      body: html`${note(visit, "bad", problemAbove(refused, ["username", "email", "password"]))}
        <form class="form" method="post" action="${adminLink(visit.root, "users/new")}">${visit.formField()}
        ${text("username", "User name", "text", html`required maxlength="40" autocapitalize="none" spellcheck="false"`)}
        ${text("email", "E-mail address", "email", html`required maxlength="254"`)}
        ${text("full_name", "Full name", "text", html`maxlength="100" dir="auto"`)}
        ${text("password", "Password", "password", html`required`, `At least ${config.auth.password_min_length} characters.`)}
        ${check("must_change_password", "The user has to choose another password first", true)}
        ${check("admin", "Administrates the server", false)}
        ${check("restricted", "Sees only what they were given", false)}
        ${mail.mailer.configured && check("notify", "Tell the user by mail", true)}
        <button class="button main">Create the user</button></form>`,
    });
  }

  return [
    page("GET", "/-/admin/users", administersServer, async ({ visit }) => {
      const { query } = visit;
      const at = sliceOf(query);
      const text = (query.get("q") ?? "").trim().slice(0, longestText);
      const kind = Object.keys(userKinds).find((one) => one === query.get("kind")) as
        | keyof typeof userKinds
        | undefined;
      const sort = orders.find(({ key }) => key === query.get("sort"))?.key ?? "alphabetically";
      const filter = { none: false, text, ...(kind === undefined ? {} : { kind }) };
      const { rows, total } = await listUsers(database.db, filter, sort, at);
      const address = adminLink(visit.root, "users");
      const menus = html`${choiceMenu(visit, { address, query }, { name: "kind", label: "Kind" }, kinds, "")}${choiceMenu(visit, { address, query }, { name: "sort", label: "Order" }, orders, "alphabetically")}`;
      const found =
        rows.length === 0
          ? empty(visit, "users", "No user fits", "Search for a part of a name or an address.")
          : html`<ul class="rows">${rows.map((row) => userItem(visit, row))}</ul>`;
      return adminPage(visit, "users", {
        title: counted(total, "user"),
        tools: html`<a class="button main" href="${address}/new">${icon(visit, "plus")}New user</a>`,
        body: html`<div>${searchForm(visit, { address, query, words: "Find a user", kept: ["kind", "sort"] }, menus)}<section class="panel edge" aria-label="Users">${found}</section>${pager(visit, address, query, at, total)}</div>`,
      });
    }),
    page("GET", "/-/admin/users/new", administersServer, ({ visit }) => newForm(visit, null)),
    page("POST", "/-/admin/users/new", administersServer, ({ visit, doer }) =>
      tryForm(
        async () => {
          const { form } = visit;
          const user = {
            username: form.text("username").trim(),
            email: form.text("email").trim(),
            password: form.text("password"),
            fullName: form.text("full_name"),
            isAdmin: form.has("admin"),
            mustChangePassword: form.has("must_change_password"),
            restricted: form.has("restricted"),
          };
          await forge.change(doer, async (work) => {
            const userId = await createUser(work, user, config.auth.password_min_length);
            if (form.has("notify") && mail.mailer.configured) {
              await work.enqueue(newJob("mail", { about: "account-created", userId }));
            }
          });
          return new Redirect(adminLink(visit.root, "users"), `${user.username} is created.`);
        },
        (refused) => newForm(visit, refused),
      ),
    ),
  ];
}
