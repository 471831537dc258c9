import type { Actor, OwnerRow } from "../../auth/subject.ts";
import { objectFormats } from "../../db/schema/repositories.ts";
import { listLicenses } from "../../domain/git/licenses/licenses.ts";
import { createRepository, type NewRepository } from "../../domain/repos/create-repository.ts";
import { findVisibleRepositories } from "../../domain/repos/forks/queries.ts";
import { listGitignores } from "../../domain/repos/gitignores.ts";
import { listLabelTemplates } from "../../domain/repos/label-templates.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { alsoOn } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { creationOf, ownerField, possibleOwners } from "./owner-choice.ts";
import { readRowId } from "../read-row-id.ts";

const path = "/repo/create";

/** The address of the form for a repository of this owner. */
export function createLink(root: string, ownerName: string): string {
  return `${root}${path}?${new URLSearchParams({ owner: ownerName }).toString()}`;
}

/** The fields that say at themselves what is wrong with them. */
const ownFields = [
  "name",
  "description",
  "gitignores",
  "license",
  "default_branch",
  "object_format",
  "issue_labels",
] as const;

type Problem = Refusal | null;

/** The fields that every new repository has, whatever it begins with. */
export function nameFields(form: Form, refused: Problem, owners: readonly OwnerRow[], chosen: string): Html {
  return html`${ownerField(refused, owners, chosen)}
    ${field(refused, { name: "name", label: "Name", hint: "Letters, digits, hyphens, dots and underscores." }, (attributes) => html`<input type="text" ${attributes} value="${form.text("name")}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100" required autofocus>`)}
    ${field(refused, { name: "description", label: "Description" }, (attributes) => html`<input type="text" ${attributes} dir="auto" value="${form.text("description")}" autocomplete="off" maxlength="2048">`)}
    ${checkbox(form, "private", "Private", "Only people with access see it.")}`;
}

export function checkbox(form: Form, name: string, label: string, about: string, isUsual = false): Html {
  const isChecked = form.text(name) !== "" || isUsual;
  return html`<label class="choice"><input type="checkbox" name="${name}" value="1"${isChecked && html` checked`}> ${label}<small>${about}</small></label>`;
}

function select(
  form: Form,
  refused: Problem,
  spec: { name: string; label: string; hint?: string },
  choices: readonly (readonly [value: string, words: string])[],
): Html {
  const chosen = form.text(spec.name);
  return field(
    refused,
    spec,
    (attributes) =>
      html`<select ${attributes}>${choices.map(([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`)}</select>`,
  );
}

function createForm(forge: Forge, visit: Visit, refused: Problem, owners: readonly OwnerRow[], chosen: string): Html {
  const { form, root } = visit;
  const rare = ["default_branch", "object_format", "issue_labels", "template"];
  const isOpen = rare.some((name) => refused?.field === name || form.text(name) !== "");
  return html`<form class="form" method="post" action="${root}${path}">${visit.formField()}
    ${nameFields(form, refused, owners, chosen)}
    <fieldset><legend>First commit</legend>
    ${checkbox(form, "auto_init", "Add a README", "Leave this out, and what follows, to push an existing repository.")}</fieldset>
    ${field(refused, { name: "gitignores", label: ".gitignore", hint: "Names of templates, such as Node or Python. Several are separated by commas." }, (attributes) => html`<input type="text" ${attributes} list="gitignore-names" value="${form.text("gitignores")}" autocomplete="off" spellcheck="false" maxlength="1000"><datalist id="gitignore-names">${listGitignores().map((name) => html`<option value="${name}">`)}</datalist>`)}
    ${select(form, refused, { name: "license", label: "License" }, [["", "None"], ...listLicenses().map(({ key, name }) => [key, name] as const)])}
    <details${isOpen && html` open`}><summary>More choices</summary><div class="form">
    ${field(refused, { name: "default_branch", label: "Default branch" }, (attributes) => html`<input type="text" ${attributes} value="${form.text("default_branch")}" placeholder="${forge.config.repository.default_branch}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100">`)}
    ${select(form, refused, { name: "issue_labels", label: "Labels for issues" }, [["", "None"], ...listLabelTemplates().map((name) => [name, name] as const)])}
    ${select(
      form,
      refused,
      {
        name: "object_format",
        label: "Object format",
        hint: "Some programs know only SHA-1. It cannot be changed later.",
      },
      [
        ["sha1", "SHA-1"],
        ["sha256", "SHA-256"],
      ],
    )}
    ${checkbox(form, "template", "Template", "Others can begin their repositories with its files.")}</div></details>
    <button class="button main">Create the repository</button></form>`;
}

function readNew(form: Form): NewRepository {
  const text = (name: string) => form.text(name).trim();
  const [gitignores, license] = [text("gitignores"), text("license")];
  const asked = text("object_format");
  const objectFormat = objectFormats.find((format) => format === asked);
  if (asked !== "" && objectFormat === undefined) {
    throw new InvalidInput(`There is no object format "${asked.slice(0, 40)}"`, "object_format");
  }
  return {
    name: text("name"),
    description: text("description"),
    private: text("private") !== "",
    template: text("template") !== "",
    defaultBranch: text("default_branch"),
    issueLabels: text("issue_labels"),
    // Files need a commit, and the first one has a README.
    autoInit: text("auto_init") !== "" || gitignores !== "" || license !== "",
    first: { gitignores, license },
    ...(objectFormat === undefined ? {} : { objectFormat }),
  };
}

/** The form that creates a repository, for oneself or for an organization. */
export function createRepositoryPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function createPage(visit: Visit, actor: Actor, refused: Problem): Promise<Page> {
    const owners = await possibleOwners(forge, actor);
    const chosen = refused === null ? (visit.query.get("owner") ?? actor.name) : visit.form.text("owner");
    return {
      status: refused?.status ?? 200,
      title: "New repository",
      place: { crumbs: [{ name: "New repository", href: `${visit.root}${path}` }] },
      body: html`<div class="title"><h1>New repository</h1><p class="soft">You can also begin with <a href="${visit.root}/explore/repos?kind=templates">a template</a>, or make a fork of a repository.</p></div>
        ${note(visit, "bad", problemAbove(refused, ownFields))}${createForm(forge, visit, refused, owners, chosen)}`,
    };
  }

  return [
    page("GET", path, ownAccount, async ({ visit, actor }) => {
      const id = readRowId(visit.query.get("template_id") ?? "");
      const template =
        id === null ? undefined : (await findVisibleRepositories(forge.database.db, visit, [id])).get(id);
      return template === undefined
        ? createPage(visit, actor, null)
        : new Redirect(`${repositoryLink(visit.root, template)}/generate`);
    }),
    page("POST", path, ownAccount, async ({ doer, visit, actor }) => {
      const { form } = visit;
      return tryForm(
        async () => {
          const into = await alsoOn(forge, visit, doer, "create-repository", form.text("owner"));
          const made = await createRepository(forge, into.doer, creationOf(actor, into.access), readNew(form));
          return new Redirect(
            repositoryLink(visit.root, { owner: into.access.owner, repository: made }),
            "The repository is created",
          );
        },
        (refused) => createPage(visit, actor, refused),
      );
    }),
  ];
}
