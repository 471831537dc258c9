import type { RepositoryAccess } from "../../auth/subject.ts";
import { deleteSecret, setSecret } from "../../domain/repos/secrets/edit-secret.ts";
import { createVariable, deleteVariable, editVariable } from "../../domain/repos/secrets/edit-variable.ts";
import type { Holder } from "../../domain/repos/secrets/holder.ts";
import { listSecrets, listVariables } from "../../domain/repos/secrets/queries.ts";
import { longestSecret } from "../../domain/repos/secrets/secret-name.ts";
import { namedOwner, namedRepository } from "../../domain/spine/events/names.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute, PageSpec } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { ago } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { settingsLink, settingsPage } from "./settings-page.ts";

/** As the API has it: for the owner alone. */
const ownsSecrets = {
  may: { on: "repository", do: "owner", unit: "any" },
  signedIn: true,
} as const satisfies PageSpec;

const all = { size: 200, offset: 0 };
const link = (visit: Visit, access: RepositoryAccess, below = "") =>
  settingsLink(visit.root, access, `actions/secrets${below}`);
const holderOf = (access: RepositoryAccess): Holder => ({
  owner: namedOwner(access.owner),
  repository: namedRepository(access),
});

/** Which of the two forms was refused, and why. */
interface Refused {
  readonly of: "secret" | "variable";
  readonly refusal: Refusal;
}

/** A name that none can have is a wrong field, and one that is taken. */
function atField({ of, refusal }: Refused): Refusal {
  const name = `${of}_name`;
  if (refusal.field !== null) {
    return { ...refusal, field: `${of}_value` };
  }
  return refusal.status === 400 || refusal.status === 409 ? { ...refusal, status: 422, field: name } : refusal;
}

function addForm(visit: Visit, action: string, of: Refused["of"], refused: Refusal | null): Html {
  const { form } = visit;
  const isSecret = of === "secret";
  const value = isSecret ? "" : form.lines("variable_value");
  return html`<form class="form" method="post" action="${action}">${visit.formField()}
    ${field(refused, { name: `${of}_name`, label: "Name", hint: "Letters, digits and underscores, such as DEPLOY_KEY." }, (attributes) => html`<input type="text" class="mono" ${attributes} value="${form.text(`${of}_name`)}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="255" required>`)}
    ${field(
      refused,
      {
        name: `${of}_value`,
        label: "Value",
        hint: isSecret ? "Nobody is shown it again. One of the same name is replaced." : null,
      },
      (
        attributes,
      ) => html`<textarea class="mono" ${attributes} rows="3" spellcheck="false" autocomplete="off" maxlength="${longestSecret}" required>
${value}</textarea>`,
    )}
    <button class="button main">${isSecret ? "Set the secret" : "Add the variable"}</button></form>`;
}

/** Secrets and variables for actions, which nothing on this server runs. */
export function secretPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/actions/secrets";

  async function secretsPage(visit: Visit, access: RepositoryAccess, refused: Refused | null): Promise<Page> {
    const holder = holderOf(access);
    const [secrets, variables] = await Promise.all([listSecrets(db, holder, all), listVariables(db, holder, all)]);
    const told = refused === null ? null : atField(refused);
    const remove = (what: string, name: string) =>
      html`<form method="post" action="${link(visit, access, `/${what}/delete`)}">${visit.formField()}<input type="hidden" name="name" value="${name}"><button class="button danger" aria-label="Delete ${name}">Delete</button></form>`;
    const secretRows = secrets.rows.map(
      ({ name, createdAt }) =>
        html`<li>${icon(visit, "lock", "faint")}<div class="grow"><code>${name}</code><div class="soft small">set ${ago(visit, createdAt)}</div></div>${remove("secret", name)}</li>`,
    );
    const variableRows = variables.rows.map(
      ({ name, value }) =>
        html`<li><form class="grow line flow" method="post" action="${link(visit, access, "/variable/change")}">${visit.formField()}<input type="hidden" name="name" value="${name}"><code class="grow">${name}</code><textarea class="mono value" name="value" rows="1" aria-label="Value of ${name}" maxlength="${longestSecret}" required>
${value}</textarea><button class="button">Save</button></form>${remove("variable", name)}</li>`,
    );
    return settingsPage(visit, access, "actions/secrets", {
      ...(told === null ? {} : { status: told.status }),
      title: "Secrets and variables",
      about: "For actions, as other servers of this family run them.",
      body: html`${note(visit, "info", "This server runs no actions: it keeps these for runners elsewhere that ask for them over the API, and for a move to a server that runs them.")}${note(visit, "bad", problemAbove(told, ["secret_name", "secret_value", "variable_name", "variable_value"]))}
        <section class="section"><h2>Secrets</h2><div class="stack">${secretRows.length === 0 ? empty(visit, "lock", "No secrets", null) : html`<ul class="panel edge rows">${secretRows}</ul>`}${addForm(visit, link(visit, access, "/secret"), "secret", refused?.of === "secret" ? told : null)}</div></section>
        <section class="section"><h2>Variables</h2><div class="stack">${variableRows.length === 0 ? empty(visit, "list", "No variables", null) : html`<ul class="panel edge rows">${variableRows}</ul>`}${addForm(visit, link(visit, access, "/variable"), "variable", refused?.of === "variable" ? told : null)}</div></section>`,
    });
  }

  /** Does it and goes back to the page; says there why it was refused. */
  const attempt = (
    visit: Visit,
    access: RepositoryAccess,
    of: Refused["of"],
    said: string,
    act: () => Promise<unknown>,
  ) =>
    tryForm(
      async () => {
        await act();
        return new Redirect(link(visit, access), said);
      },
      (refusal) => secretsPage(visit, access, { of, refusal }),
    );

  return [
    page("GET", path, ownsSecrets, ({ visit, repository }) => secretsPage(visit, repository, null)),
    // Not a long form: what a refused one keeps is sent back.
    page("POST", `${path}/secret`, ownsSecrets, ({ visit, doer, repository: access }) =>
      attempt(visit, access, "secret", "The secret is set", () => {
        const secret = {
          name: visit.form.text("secret_name").trim(),
          value: visit.form.lines("secret_value"),
          description: undefined,
        };
        return forge.change(doer, (work) => setSecret(work, forge.keys.seal, holderOf(access), secret));
      }),
    ),
    page("POST", `${path}/secret/delete`, ownsSecrets, ({ visit, doer, repository: access }) =>
      attempt(visit, access, "secret", "The secret is deleted", () =>
        forge.change(doer, (work) => deleteSecret(work, holderOf(access), visit.form.text("name"))),
      ),
    ),
    page("POST", `${path}/variable`, { ...ownsSecrets, longForm: true }, ({ visit, doer, repository: access }) =>
      attempt(visit, access, "variable", "The variable is added", () => {
        const variable = {
          name: visit.form.text("variable_name").trim(),
          value: visit.form.lines("variable_value"),
          description: undefined,
        };
        return forge.change(doer, (work) => createVariable(work, holderOf(access), variable));
      }),
    ),
    page("POST", `${path}/variable/change`, { ...ownsSecrets, longForm: true }, ({ visit, doer, repository: access }) =>
      attempt(visit, access, "variable", "The variable is saved", () => {
        const change = { value: visit.form.lines("value"), description: undefined, rename: undefined };
        return forge.change(doer, (work) => editVariable(work, holderOf(access), visit.form.text("name"), change));
      }),
    ),
    page("POST", `${path}/variable/delete`, ownsSecrets, ({ visit, doer, repository: access }) =>
      attempt(visit, access, "variable", "The variable is deleted", () =>
        forge.change(doer, (work) => deleteVariable(work, holderOf(access), visit.form.text("name"))),
      ),
    ),
  ];
}
