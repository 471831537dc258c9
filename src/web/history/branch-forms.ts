import type { RepositoryAccess } from "../../auth/subject.ts";
import { createBranch } from "../../domain/git/branches/create-branch.ts";
import { deleteBranch } from "../../domain/git/branches/delete-branch.ts";
import { renameBranch } from "../../domain/git/branches/rename-branch.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import { writesCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { formPage, nameField } from "./name-form.ts";

const nameOf = ({ owner, repository }: RepositoryAccess) => `${owner.name}/${repository.name}`;

const branches = (visit: Visit, access: RepositoryAccess) => `${repositoryLink(visit.root, access)}/branches`;

function newPage(visit: Visit, access: RepositoryAccess, name: string, from: string, refused: Refusal | null): Page {
  return formPage(visit, {
    title: "New branch",
    of: nameOf(access),
    action: `${branches(visit, access)}/new`,
    fields: html`${nameField("Name", name, refused)}<label for="from">From</label>
      <input class="mono" id="from" name="from" value="${from}" maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="from-hint"><p class="hint" id="from-hint">A branch, a tag or a commit. Empty: the default branch.</p>`,
    button: "Create the branch",
    refused,
  });
}

function renamePage(visit: Visit, access: RepositoryAccess, old: string, name: string, refused: Refusal | null): Page {
  const isDefault = old === access.repository.defaultBranch;
  return formPage(visit, {
    title: `Rename ${old}`,
    of: nameOf(access),
    above: html`<p class="soft">Links to the branch and clones that follow it keep the old name, which then leads nowhere.${isDefault && html` The new name becomes the default branch.`}</p>`,
    action: `${branches(visit, access)}/rename`,
    fields: html`<input type="hidden" name="old" value="${old}">${nameField("New name", name, refused)}`,
    button: "Rename the branch",
    refused,
  });
}

/** Forms that create, rename and delete branches. */
export function branchFormPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/branches/new", writesCode, ({ visit, repository: access }) =>
      newPage(visit, access, "", visit.query.get("from") ?? access.repository.defaultBranch, null),
    ),
    page("POST", "/:owner/:repo/branches/new", writesCode, ({ visit, doer, repository: access }) => {
      const name = visit.form.text("name").trim();
      const from = visit.form.text("from").trim();
      return tryForm(
        async () => {
          await createBranch(forge, doer, access, { name, start: from === "" ? undefined : from });
          const made = sourceLink(visit.root, access, { kind: "branch", name }, "");
          return new Redirect(made, `The branch ${name} is made`);
        },
        (refused) => newPage(visit, access, name, from, refused),
      );
    }),
    page("GET", "/:owner/:repo/branches/rename", writesCode, ({ visit, repository: access }) => {
      const name = visit.query.get("name") ?? "";
      return renamePage(visit, access, name, name, null);
    }),
    page("POST", "/:owner/:repo/branches/rename", writesCode, ({ visit, doer, repository: access }) => {
      const old = visit.form.text("old");
      const name = visit.form.text("name").trim();
      return tryForm(
        async () => {
          await renameBranch(forge, doer, access, old, name);
          return new Redirect(branches(visit, access), `The branch ${old} is called ${name} now`);
        },
        (refused) => renamePage(visit, access, old, name, refused),
      );
    }),
    page("POST", "/:owner/:repo/branches/delete", writesCode, async ({ visit, doer, repository: access }) => {
      const name = visit.form.text("name");
      await deleteBranch(forge, doer, access, name);
      const days = forge.config.git.unreachable_days;
      return new Redirect(
        branches(visit, access),
        `The branch ${name} is deleted${days > 0 ? `; it can be restored for ${days} days` : ""}`,
      );
    }),
  ];
}
