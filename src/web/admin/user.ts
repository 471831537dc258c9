import type { OwnerRow } from "../../auth/subject.ts";
import { renameOwner } from "../../domain/identity/owners/rename-owner.ts";
import { editUser, type UserPatch } from "../../domain/identity/users/edit-user.ts";
import { findAccount } from "../../domain/identity/users/queries.ts";
import { deleteUser } from "../../domain/server/deletion/delete-user.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findOwner } from "../../domain/identity/owners/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { alsoOnUser } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { ownerLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { confirmField, notConfirmed } from "../parts/confirm-field.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { administersServer, adminLink, adminPage } from "./admin-page.ts";

const path = "/-/admin/users/:name";

/** The boxes of the form, each with the column that it sets. */
const boxes = [
  { name: "active", column: "active", words: "Active: may sign in" },
  { name: "prohibit_login", column: "suspended", words: "Suspended: no password, token or key opens anything" },
  { name: "admin", column: "isAdmin", words: "Administrates the server" },
  { name: "restricted", column: "restricted", words: "Restricted: sees only what they were given" },
  { name: "must_change_password", column: "mustChangePassword", words: "Has to choose another password first" },
  { name: "allow_create_organization", column: "mayCreateOrganizations", words: "May create organizations" },
] as const;

const fields = [
  "email",
  "full_name",
  "password",
  "max_repo_creation",
  "new_name",
  "confirm",
  ...boxes.map(({ name }) => name),
];

function readLimit(form: Form): number {
  const text = form.text("max_repo_creation").trim();
  if (!/^(-1|\d{1,9})$/.test(text)) {
    throw new InvalidInput("The number of repositories is -1 or a number up to 999,999,999", "max_repo_creation");
  }
  return Number(text);
}

function readPatch(form: Form, user: OwnerRow): UserPatch {
  const password = form.text("password");
  const email = form.text("email").trim();
  return {
    fullName: form.text("full_name"),
    ...(email === user.email ? {} : { email }),
    ...(password === "" ? {} : { password }),
    account: {
      ...Object.fromEntries(boxes.map(({ name, column }) => [column, form.has(name)])),
      maxRepositories: readLimit(form),
    },
  };
}

/** What an administrator changes about one user. */
export function adminUserPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { config, database } = forge;
  const { db } = database;

  async function getUser({ params }: Visit): Promise<OwnerRow> {
    const { name = "" } = params;
    const user = await findOwner(db, name);
    if (user?.kind !== "user") {
      throw new NotFound("user", clip(name, 80));
    }
    return user;
  }

  async function show(visit: Visit, user: OwnerRow, refused: Refusal | null): Promise<Page> {
    const account = await findAccount(db, user.id);
    if (account === null) {
      throw new NotFound("user", user.name);
    }
    const { form } = visit;
    const isSent = form.text("act") === "edit";
    const action = adminLink(visit.root, `users/${encodeURIComponent(user.name)}`);
    const text = (name: string, label: string, type: string, value: string, hint: Html | null = null) =>
      field(
        refused,
        { name, label, hint },
        (attributes) =>
          html`<input type="${type}" ${attributes} value="${isSent && type !== "password" ? form.text(name) : value}" autocomplete="off">`,
      );
    const opening = (act: string) =>
      html`<form class="form" method="post" action="${action}">${visit.formField()}<input type="hidden" name="act" value="${act}">`;
    return adminPage(visit, "users", {
      status: refused?.status ?? 200,
      title: user.name,
      tools: html`<a class="button" href="${ownerLink(visit.root, user.name)}">Profile</a>`,
      body: html`${note(
        visit,
        "bad",
        problemAbove(
          refused,
          fields.filter((name) => !boxes.some((box) => box.name === name)),
        ),
      )}
        ${opening("edit")}
        ${text("full_name", "Full name", "text", user.fullName)}
        ${text("email", "Primary address", "email", user.email, html`It counts as confirmed.`)}
        ${text("password", "New password", "password", "", html`Empty: it stays. At least ${config.auth.password_min_length} characters; a new one ends the user's sessions.`)}
        ${text("max_repo_creation", "Repositories at most", "text", String(account.maxRepositories), html`-1: as many as the server allows everybody.`)}
        ${boxes.map(({ name, column, words }) => html`<label class="choice"><input type="checkbox" name="${name}" value="1"${(isSent ? form.has(name) : account[column]) && html` checked`}> ${words}</label>`)}
        <button class="button main">Save</button></form>
        <section class="stack s"><h2>Another name</h2>${opening("rename")}${field(refused, { name: "new_name", label: "User name", hint: "The former name leads to the user until somebody else takes it." }, (attributes) => html`<input type="text" ${attributes} value="${form.has("new_name") ? form.text("new_name") : user.name}" maxlength="40" autocomplete="off" autocapitalize="none" spellcheck="false" required>`)}<button class="button">Rename</button></form></section>
        <section class="stack s"><h2>Delete the user</h2>${note(visit, "warn", "Their tokens, keys and settings go; what they wrote stays without its author. This cannot be undone.")}${opening("delete")}
        <label class="choice"><input type="checkbox" name="purge" value="1"${form.has("purge") && html` checked`}> Also delete all that they own: repositories, packages, and organizations that nobody else owns</label>
        ${confirmField(refused, user.name)}<button class="button danger">Delete the user</button></form></section>`,
    });
  }

  return [
    page("GET", path, administersServer, async ({ visit }) => show(visit, await getUser(visit), null)),
    page("POST", path, administersServer, async ({ visit, doer }) => {
      const user = await getUser(visit);
      const { form } = visit;
      const act = form.text("act");
      if (act === "delete" && form.text("confirm").trim() !== user.name) {
        return show(visit, user, notConfirmed(user.name));
      }
      return tryForm(
        async () => {
          const on = await alsoOnUser(forge, visit, doer, user.name);
          if (act === "delete") {
            await forge.change(on.doer, (work) => deleteUser(work, on.user, form.has("purge")));
            return new Redirect(adminLink(visit.root, "users"), `${user.name} is deleted.`);
          }
          if (act === "rename") {
            const name = form.text("new_name").trim();
            await forge.change(on.doer, (work) => renameOwner(work, on.user.id, name, "new_name"));
            return new Redirect(
              adminLink(visit.root, `users/${encodeURIComponent(name)}`),
              `The user is called ${name} now.`,
            );
          }
          const patch = readPatch(form, on.user);
          await forge.change(on.doer, (work) => editUser(work, on.user, patch, config.auth.password_min_length));
          return new Redirect(
            adminLink(visit.root, `users/${encodeURIComponent(user.name)}`),
            `${user.name} is changed.`,
          );
        },
        (refused) => show(visit, user, refused),
      );
    }),
  ];
}
