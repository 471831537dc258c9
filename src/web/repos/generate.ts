import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { generateRepository } from "../../domain/repos/templates/generate-repository.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { alsoOn } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { checkbox, nameFields } from "./create.ts";
import { creationOf, possibleOwners } from "./owner-choice.ts";

const uses = {
  may: { on: "repository", do: "read", unit: "code" },
  signedIn: true,
  // The template is only read.
  onArchived: "allowed",
} as const;

/** What a new repository can take over of a template. */
const items = [
  { name: "git_content", label: "Files", about: "Of the default branch, as one commit, with variables replaced." },
  { name: "topics", label: "Topics", about: "What it is about." },
  { name: "avatar", label: "Picture", about: "Its own picture." },
  { name: "labels", label: "Labels", about: "Its own labels for issues." },
  { name: "protected_branch", label: "Rules for branches", about: "Who may push where." },
  { name: "webhooks", label: "Webhooks", about: "For administrators of the template." },
] as const;

function demandTemplate({ owner, repository }: RepositoryAccess): void {
  if (!repository.template) {
    throw new NotFound("template", `${owner.name}/${repository.name}`);
  }
}

/** Making a repository of a template. */
export function generatePages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function generatePage(
    visit: Visit,
    actor: Actor,
    access: RepositoryAccess,
    refused: Refusal | null,
  ): Promise<Page> {
    const { form } = visit;
    const { owner, repository, mode } = access;
    const owners = await possibleOwners(forge, actor);
    const offered = items.filter(({ name }) => name !== "webhooks" || mode >= accessModes.admin);
    const boxes = offered.map(({ name, label, about }) =>
      checkbox(form, name, label, about, refused === null && name === "git_content"),
    );
    return {
      status: refused?.status ?? 200,
      title: `New repository from ${owner.name}/${repository.name}`,
      body: html`<div class="title"><h1>New repository from ${owner.name}/${repository.name}</h1></div>
        ${note(visit, "bad", problemAbove(refused, ["name", "description"]))}
        <form class="form" method="post" action="${repositoryLink(visit.root, access)}/generate">${visit.formField()}
        ${nameFields(form, refused, owners, refused === null ? actor.name : form.text("owner"))}
        <fieldset><legend>Take over</legend>${boxes}</fieldset>
        <button class="button main">Create the repository</button></form>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/generate", uses, ({ visit, actor, repository }) => {
      demandTemplate(repository);
      return generatePage(visit, actor, repository, null);
    }),
    page("POST", "/:owner/:repo/generate", uses, async ({ doer, visit, actor, repository: template }) => {
      demandTemplate(template);
      const { form } = visit;
      const has = (name: (typeof items)[number]["name"]) => form.text(name) !== "";
      return tryForm(
        async () => {
          const into = await alsoOn(forge, visit, doer, "create-repository", form.text("owner"));
          const made = await generateRepository(forge, into.doer, template, creationOf(actor, into.access), {
            name: form.text("name").trim(),
            description: form.text("description").trim(),
            private: form.text("private") !== "",
            defaultBranch: "",
            gitContent: has("git_content"),
            topics: has("topics"),
            avatar: has("avatar"),
            protections: has("protected_branch"),
            labels: has("labels"),
            webhooks: has("webhooks"),
          });
          return new Redirect(
            repositoryLink(visit.root, { owner: into.access.owner, repository: made }),
            "The repository is created",
          );
        },
        (refused) => generatePage(visit, actor, template, refused),
      );
    }),
  ];
}
