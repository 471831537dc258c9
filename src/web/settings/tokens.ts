import { scopeCategories } from "../../auth/scopes.ts";
import type { Actor } from "../../auth/subject.ts";
import { createToken } from "../../domain/identity/tokens/create-token.ts";
import { deleteToken } from "../../domain/identity/tokens/delete-token.ts";
import { listAccessTokens } from "../../domain/identity/tokens/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { formMessage } from "../errors.ts";
import { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { cardTable } from "../parts/table.ts";
import { ago } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { settingsPage } from "./settings-page.ts";
import { copyButton } from "../parts/copy.ts";

const path = "/user/settings/tokens";
const columns = ["Name", "Permissions", "Created", "Last used", "Expires", "Action"].map((name) => ({ name }));
const lifetimes = [30, 90, 365] as const;
const dayMs = 86_400_000;

function readScopes(form: Form): string[] {
  const chosen = scopeCategories.flatMap((category) => {
    const level = form.text(`scope_${category}`);
    return level === "" ? [] : [`${level}:${category}`];
  });
  return [...(form.text("all") === "" ? chosen : ["all"]), ...(form.text("public_only") === "" ? [] : ["public-only"])];
}

function readLifetime(form: Form): { expiresAt?: Date } {
  const text = form.text("lifetime");
  if (text === "never") {
    return {};
  }
  const days = lifetimes.find((one) => String(one) === text);
  if (days === undefined) {
    throw new InvalidInput("A token expires after one of the offered times", "lifetime");
  }
  return { expiresAt: new Date(Date.now() + days * dayMs) };
}

function readRepositories(form: Form): { repositories?: string[] } {
  const repositories = form
    .text("repositories")
    .split(/\s+/)
    .filter((name) => name !== "");
  return repositories.length === 0 ? {} : { repositories };
}

/** The result of a form. */
interface Told {
  status: number;
  above: Html | null;
  /** The input to correct; absent: a new form. */
  typed?: Form;
}

const untyped = new Form(new URLSearchParams());

/** The form of a new token, with what was typed. */
function createForm(visit: Visit, isAdmin: boolean, typed: Form): Html {
  const option = (name: string, value: string, text: string) =>
    html`<option value="${value}"${typed.text(name) === value ? html` selected` : null}>${text}</option>`;
  const box = (name: string, text: string) =>
    html`<label class="choice"><input type="checkbox" name="${name}" value="1"${typed.text(name) === "" ? null : html` checked`}> ${text}</label>`;
  const levels = scopeCategories
    .filter((category) => category !== "admin" || isAdmin)
    .map(
      (category) => html`<label for="scope_${category}">${category}</label>
        <select id="scope_${category}" name="scope_${category}">${[
          option(`scope_${category}`, "", "nothing"),
          option(`scope_${category}`, "read", "read"),
          option(`scope_${category}`, "write", "read and write"),
        ]}</select>`,
    );
  return html`<form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
    <label for="name">Name</label>
    <input type="text" id="name" name="name" value="${typed.text("name")}" autocomplete="off" maxlength="255" aria-describedby="name_hint" required>
    <p class="hint" id="name_hint">The machine or script that will use the token.</p>
    <label for="lifetime">Expires after</label>
    <select id="lifetime" name="lifetime">${lifetimes.map((days) => option("lifetime", String(days), `${days} days`))}${option("lifetime", "never", "never")}</select>
    <fieldset><legend>Permissions</legend>
    ${box("all", "Everything that you can do")}
    ${box("public_only", "Public repositories and users only")}
    ${levels}</fieldset>
    <label for="repositories">Only these repositories</label>
    <textarea id="repositories" name="repositories" rows="3" aria-describedby="repositories_hint" spellcheck="false">${typed.text("repositories")}</textarea>
    <p class="hint" id="repositories_hint">One owner/name on each line. If you leave this empty, the token is for all your repositories.</p>
    <button class="button main">Create the token</button></form>`;
}

/** Access tokens: the list, and making and deleting them. */
export function tokenPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function tokensPage(visit: Visit, actor: Actor, told: Told): Promise<Page> {
    const at = sliceOf(visit.query);
    const { rows, total } = await listAccessTokens(db, actor.id, at);
    const items = rows.map(({ row, repositories }) => [
      html`${row.name}<br><code>…${row.lastEight}</code>`,
      html`${row.scopes.join(", ")}${repositories === null ? null : html`<br>only ${repositories.length === 0 ? "repositories that are gone" : repositories.join(", ")}`}`,
      ago(visit, row.createdAt),
      row.lastUsedAt === null ? html`never` : ago(visit, row.lastUsedAt),
      row.expiresAt === null ? html`never` : ago(visit, row.expiresAt),
      html`<form method="post" action="${visit.root}${path}/delete">${visit.formField()}<input type="hidden" name="id" value="${row.id}"><button class="button danger" aria-label="Delete ${row.name}">Delete</button></form>`,
    ]);
    const list = html`${cardTable(columns, items)}${pager(visit, visit.root + path, visit.query, at, total)}`;
    return settingsPage(visit, path, {
      status: told.status,
      title: "Access tokens",
      body: html`<h1>Access tokens</h1>${told.above}${total === 0 ? html`<p>You have no access tokens.</p>` : list}<h2>New token</h2>${createForm(visit, actor.isAdmin, told.typed ?? untyped)}`,
    });
  }

  return [
    page("GET", path, ownAccount, ({ visit, actor }) => tokensPage(visit, actor, { status: 200, above: null })),
    page("POST", path, ownAccount, async ({ doer, visit, actor }) => {
      const { form } = visit;
      try {
        const wanted = {
          userId: actor.id,
          userIsAdmin: actor.isAdmin,
          name: form.text("name"),
          scopes: readScopes(form),
          ...readLifetime(form),
          ...readRepositories(form),
        };
        const { value } = await forge.change(doer, (work) =>
          createToken(work, wanted, forge.config.auth.tokens_per_user),
        );
        const above = html`${note(visit, "good", "This is the new token. Copy it now: it is shown only once.")}<p class="line"><code class="secret" id="token">${value}</code>${copyButton(visit, value, { label: "Copy the token" })}</p>`;
        return await tokensPage(visit, actor, { status: 200, above });
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return tokensPage(visit, actor, {
          status: problem.status,
          above: note(visit, "bad", `${problem.message}.`),
          typed: form,
        });
      }
    }),
    page("POST", `${path}/delete`, ownAccount, async ({ doer, visit, actor }) => {
      await forge.change(doer, (work) => deleteToken(work, actor, visit.form.text("id")));
      return new Redirect(visit.root + path, "The token is deleted");
    }),
  ];
}
