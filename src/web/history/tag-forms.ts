import type { RepositoryAccess } from "../../auth/subject.ts";
import { createTag } from "../../domain/repos/tags/create-tag.ts";
import { deleteTag } from "../../domain/repos/tags/delete-tag.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { formPage, nameField } from "./name-form.ts";

/** What the form for a new tag is filled with. */
interface Filled {
  readonly name: string;
  readonly target: string;
  readonly message: string;
}

const tags = (visit: Visit, access: RepositoryAccess) => `${repositoryLink(visit.root, access)}/tags`;

function newPage(visit: Visit, access: RepositoryAccess, filled: Filled, refused: Refusal | null): Page {
  return formPage(visit, {
    title: "New tag",
    of: `${access.owner.name}/${access.repository.name}`,
    action: `${tags(visit, access)}/new`,
    fields: html`${nameField("Name", filled.name, refused)}<label for="target">At</label>
      <input class="mono" id="target" name="target" value="${filled.target}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="target-hint"><p class="hint" id="target-hint">A branch, a tag or a commit. Empty: the default branch.</p>
      <label for="message">Message</label><textarea id="message" name="message" dir="auto" aria-describedby="message-hint">${filled.message}</textarea><p class="hint" id="message-hint">With a message, the tag is an annotated one, which says who made it and when.</p>`,
    button: "Create the tag",
    refused,
  });
}

/** Forms that create and delete tags. */
export function tagFormPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/tags/new", writesCode, ({ visit, repository: access }) => {
      const target = visit.query.get("target") ?? access.repository.defaultBranch;
      return newPage(visit, access, { name: "", target, message: "" }, null);
    }),
    page("POST", "/:owner/:repo/tags/new", writesCode, ({ visit, doer, repository: access }) => {
      const [name, target] = [visit.form.text("name").trim(), visit.form.text("target").trim()];
      const message = visit.form.text("message");
      return tryForm(
        async () => {
          await createTag(forge, doer, access, { name, target: target === "" ? undefined : target, message });
          return new Redirect(tags(visit, access), `The tag ${name} is made`);
        },
        (refused) => newPage(visit, access, { name, target, message }, refused),
      );
    }),
    page("POST", "/:owner/:repo/tags/delete", writesCode, async ({ visit, doer, repository: access }) => {
      const name = visit.form.text("name");
      await deleteTag(forge, doer, access, name);
      return new Redirect(tags(visit, access), `The tag ${name} is deleted`);
    }),
  ];
}
