import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import { forkRepository } from "../../domain/repos/forks/fork-repository.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { alsoOn } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { fileSize, wholeNumber } from "../parts/size.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { creationOf, ownerField, possibleOwners } from "./owner-choice.ts";

const forks = {
  may: { on: "repository", do: "participate", unit: "code" },
  signedIn: true,
  // Nothing of the parent changes.
  onArchived: "allowed",
} as const;

/** What a fork takes of its owner's share of the server. */
function limits(forge: Forge, { counts }: RepositoryAccess): Html {
  const { repositories } = forge.config.users;
  return html`The fork counts with ${fileSize(counts.gitBytes + counts.lfsBytes)} in its owner's quota${repositories > 0 && `, and as one of at most ${wholeNumber(repositories)} repositories`}.`;
}

/** Making a fork of a repository, for oneself or for an organization. */
export function forkPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function forkPage(
    visit: Visit,
    actor: Actor,
    access: RepositoryAccess,
    refused: Refusal | null,
  ): Promise<Page> {
    const { form } = visit;
    const { owner, repository } = access;
    const typed = refused !== null;
    const text = (name: string, otherwise: string) => (typed ? form.text(name) : otherwise);
    const checked = form.text("default_branch_only") !== "" && html` checked`;
    const owners = await possibleOwners(forge, actor);
    return {
      status: refused?.status ?? 200,
      title: `Fork ${owner.name}/${repository.name}`,
      body: html`<div class="title"><h1>Fork ${owner.name}/${repository.name}</h1><p class="soft">A fork is a repository of your own that begins with what this one has. Change it as you like, and offer the changes back with a pull request.</p></div>
        ${note(visit, "bad", problemAbove(refused, ["name", "description"]))}
        <form class="form" method="post" action="${repositoryLink(visit.root, access)}/fork">${visit.formField()}
        ${ownerField(refused, owners, text("owner", actor.name))}
        ${field(refused, { name: "name", label: "Name", hint: "Letters, digits, hyphens, dots and underscores." }, (attributes) => html`<input type="text" ${attributes} value="${text("name", repository.name)}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100" required>`)}
        ${field(refused, { name: "description", label: "Description" }, (attributes) => html`<input type="text" ${attributes} dir="auto" value="${text("description", repository.description)}" autocomplete="off" maxlength="2048">`)}
        <label class="choice"><input type="checkbox" name="default_branch_only" value="1"${checked}> Only the branch ${repository.defaultBranch}<small>Other branches and the tags stay behind.</small></label>
        <p class="hint">${limits(forge, access)} It is private if ${owner.name}/${repository.name} is.</p>
        <button class="button main">Create the fork</button></form>`,
    };
  }

  return [
    page("GET", "/:owner/:repo/fork", forks, ({ visit, actor, repository }) =>
      forkPage(visit, actor, repository, null),
    ),
    page("POST", "/:owner/:repo/fork", forks, async ({ doer, visit, actor, repository: parent }) => {
      const { form } = visit;
      return tryForm(
        async () => {
          const into = await alsoOn(forge, visit, doer, "create-repository", form.text("owner"));
          const asked = {
            name: form.text("name").trim(),
            description: form.text("description").trim(),
            defaultBranchOnly: form.text("default_branch_only") !== "",
          };
          const fork = await forge.change(into.doer, (work) =>
            forkRepository(work, parent, creationOf(actor, into.access), asked),
          );
          return new Redirect(
            repositoryLink(visit.root, { owner: into.access.owner, repository: fork }),
            `The fork of ${parent.owner.name}/${parent.repository.name} is made`,
          );
        },
        (refused) => forkPage(visit, actor, parent, refused),
      );
    }),
  ];
}
