import type { OwnerAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { createRepository } from "../../domain/repos/create-repository.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { formMessage } from "../errors.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

const creates = { may: { on: "owner", do: "create-repository" }, signedIn: true } as const;

/** The address of the form for a repository of this owner. */
export function createLink(root: string, ownerName: string): string {
  return `${root}/repo/create/${encodeURIComponent(ownerName)}`;
}

function createPage(visit: Visit, { owner }: OwnerAccess, told: { status: number; problem: string | null }): Page {
  const { form } = visit;
  const checked = (name: string) => (form.text(name) === "" ? null : html` checked`);
  return {
    status: told.status,
    title: "New repository",
    body: html`<h1>New repository for ${owner.name}</h1>${note(visit, "bad", told.problem)}
      <form class="form" method="post" action="${createLink(visit.root, owner.name)}">${visit.formField()}
      <label for="name">Name</label>
      <input type="text" id="name" name="name" value="${form.text("name")}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="100" aria-describedby="name_hint" required autofocus>
      <p class="hint" id="name_hint">Letters, digits, hyphens, dots and underscores.</p>
      <label for="description">Description</label>
      <input type="text" id="description" name="description" value="${form.text("description")}" autocomplete="off" maxlength="2048">
      <fieldset><legend>Options</legend>
      <label class="choice"><input type="checkbox" name="private" value="1"${checked("private")}> Private: visible only to people with access</label>
      <label class="choice"><input type="checkbox" name="auto_init" value="1"${checked("auto_init")}> Add a README as the first commit. Leave this out to push an existing repository.</label>
      </fieldset>
      <button class="button main">Create the repository</button></form>`,
  };
}

/** The form that creates a repository, for oneself or for an organization. */
export function createRepositoryPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/repo/create", ownAccount, ({ visit, actor }) => new Redirect(createLink(visit.root, actor.name))),
    page("GET", "/repo/create/:owner", creates, ({ visit, owner }) =>
      createPage(visit, owner, { status: 200, problem: null }),
    ),
    page("POST", "/repo/create/:owner", creates, async ({ doer, visit, owner: access, actor }) => {
      const { form } = visit;
      const { owner, membership } = access;
      const ownsOwner = actor.isAdmin || owner.kind === "user" || membership === accessModes.owner;
      try {
        const repository = await createRepository(
          forge,
          doer,
          { owner, ownsOwner },
          {
            name: form.text("name").trim(),
            description: form.text("description").trim(),
            private: form.text("private") !== "",
            autoInit: form.text("auto_init") !== "",
          },
        );
        return new Redirect(`${visit.root}/${encodeURIComponent(owner.name)}/${encodeURIComponent(repository.name)}`);
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return createPage(visit, access, { status: problem.status, problem: `${problem.message}.` });
      }
    }),
  ];
}
