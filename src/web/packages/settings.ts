import type { OwnerAccess } from "../../auth/subject.ts";
import { deleteVersion, linkPackage, unlinkPackage } from "../../domain/packages/edit-package.ts";
import { findLinked, type FoundVersion } from "../../domain/packages/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { alsoOnRepository } from "../also-on.ts";
import type { Refusal } from "../errors.ts";
import { html } from "../html.ts";
import { packageLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { confirmField, notConfirmed } from "../parts/confirm-field.ts";
import { field, problemAbove } from "../parts/field.ts";
import { note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { packagesPlace } from "./list.ts";
import { writesPackages } from "./specs.ts";
import { namedVersion } from "./version.ts";

const path = "/:owner/-/packages/:type/:name/:version/settings";

/** Links a package to a repository, and deletes a version. */
export function packageSettingsPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function show(
    visit: Visit,
    access: OwnerAccess,
    { package: of, version }: FoundVersion,
    refused: Refusal | null,
  ): Promise<Page> {
    const { owner } = access;
    const linked = await findLinked(db, of);
    const back = packageLink(visit.root, owner.name, of, version.version);
    const typed = visit.form.has("repository") ? visit.form.text("repository") : (linked?.name ?? "");
    const action = `${back}/settings`;
    return {
      status: refused?.status ?? 200,
      title: `Settings of ${of.name} ${version.version}`,
      place: packagesPlace(visit, access),
      body: html`<div class="stack l"><div class="title"><h1>Settings of <a class="plain" href="${back}"><span dir="auto">${of.name}</span> ${version.version}</a></h1></div>${note(visit, "bad", problemAbove(refused, ["repository", "confirm"]))}
        <section class="stack s"><h2>Repository</h2><p class="soft">A package that is linked to a repository is as private as it is, and stands on its page. This concerns all versions.</p>
        <form class="form" method="post" action="${action}">${visit.formField()}<input type="hidden" name="act" value="link">
        ${field(refused, { name: "repository", label: `Repository of ${owner.name}`, hint: "Empty: the package belongs to no repository." }, (attributes) => html`<input type="text" ${attributes} value="${typed}" maxlength="100" autocomplete="off">`)}<button class="button main">Save</button></form></section>
        <section class="stack s"><h2>Delete this version</h2>${note(visit, "warn", "Its files go, and clients that name this version fail. This cannot be undone.")}
        <form class="form" method="post" action="${action}">${visit.formField()}<input type="hidden" name="act" value="delete">
        ${confirmField(refused, version.version)}<button class="button danger">Delete the version</button></form></section></div>`,
    };
  }

  return [
    page("GET", path, writesPackages, async ({ visit, owner }) =>
      show(visit, owner, await namedVersion(forge, visit, owner), null),
    ),
    page("POST", path, writesPackages, async ({ visit, doer, owner: access }) => {
      const { form } = visit;
      const { owner } = access;
      const found = await namedVersion(forge, visit, access);
      const { package: of, version } = found;
      const again = (refused: Refusal) => show(visit, access, found, refused);
      const isDeletion = form.text("act") === "delete";
      if (isDeletion && form.text("confirm").trim() !== version.version) {
        return again(notConfirmed(version.version));
      }
      return tryForm(async () => {
        if (isDeletion) {
          await forge.change(doer, (work) => deleteVersion(work, owner, found));
          await forge.packageIndexes.settleAll(owner.id);
          return new Redirect(packageLink(visit.root, owner.name), `${of.name} ${version.version} is deleted.`);
        }
        const repository = form.text("repository").trim();
        if (repository === "") {
          await forge.change(doer, (work) => unlinkPackage(work, owner, of));
        } else {
          const named = { owner: owner.name, repository };
          const to = await alsoOnRepository(forge, visit, doer, { on: "repository", do: "read", unit: "any" }, named);
          await forge.change(to.doer, (work) => linkPackage(work, owner, of, to.access));
        }
        await forge.packageIndexes.settleAll(owner.id);
        const said = repository === "" ? "belongs to no repository now" : `belongs to ${owner.name}/${repository} now`;
        return new Redirect(packageLink(visit.root, owner.name, of, version.version), `${of.name} ${said}.`);
      }, again);
    }),
  ];
}
