import type { RepositoryAccess } from "../../auth/subject.ts";
import { commentOfKey } from "../../domain/identity/keys/comment-of-key.ts";
import { createDeployKey } from "../../domain/identity/keys/create-deploy-key.ts";
import { deleteDeployKey } from "../../domain/identity/keys/delete-deploy-key.ts";
import { listDeployKeys, type DeployKeyRow } from "../../domain/identity/keys/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { tick } from "./column-form.ts";
import { administers, administersAlways, settingsLink, settingsPage } from "./settings-page.ts";

/** A deploy key with what it may do; `remove`: the address of the form that removes it. */
export function keyRow(visit: Visit, { deployKey, key }: DeployKeyRow, remove: string | null): Html {
  const used = deployKey.lastUsedAt === null ? html`never used` : html`used ${ago(visit, deployKey.lastUsedAt)}`;
  return html`<li>${icon(visit, "key", "faint")}<div class="grow"><b dir="auto">${deployKey.title}</b> <span class="tag">${deployKey.readOnly ? "Read" : "Write"}</span><div class="soft small"><code>${key.fingerprint}</code></div><div class="soft small">added ${ago(visit, deployKey.createdAt)} · ${used}</div></div>${remove !== null && html`<form method="post" action="${remove}">${visit.formField()}<input type="hidden" name="id" value="${deployKey.id}"><button class="button danger" aria-label="Delete ${deployKey.title}">Delete</button></form>`}</li>`;
}

/** Keys that open one repository and are nobody's. */
export function deployKeyPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/keys";

  async function keysPage(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const { form } = visit;
    const at = sliceOf(visit.query);
    const link = settingsLink(visit.root, access, "keys");
    const { rows, total } = await listDeployKeys(db, access.repository.id, {}, at);
    // A private key that was pasted here by mistake is not sent back.
    const typed = form.text("key").includes("PRIVATE KEY") ? "" : form.text("key");
    const list =
      total === 0
        ? html`<p class="soft">There are no deploy keys.</p>`
        : html`<ul class="panel edge rows">${rows.map((row) => keyRow(visit, row, `${link}/delete`))}</ul>`;
    return settingsPage(visit, access, "keys", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Deploy keys",
      about:
        "A deploy key lets a machine fetch over SSH, and push if it may write. It opens this repository alone and is nobody's: what it pushes has no user.",
      body: html`${note(visit, "bad", problemAbove(refused, ["title", "key"]))}${list}${pager(visit, link, visit.query, at, total)}
        <section class="section"><h2>Add a key</h2><form class="form" method="post" action="${link}">${visit.formField()}
        ${field(refused, { name: "key", label: "Public key", hint: html`The line in a file such as <code>~/.ssh/id_ed25519.pub</code>.` }, (attributes) => html`<textarea class="mono" ${attributes} rows="4" spellcheck="false" autocomplete="off" required>${typed}</textarea>`)}
        ${field(refused, { name: "title", label: "Title", hint: "The machine that has the key. Empty: the comment at the end of the key." }, (attributes) => html`<input type="text" ${attributes} dir="auto" value="${form.text("title")}" autocomplete="off" maxlength="255">`)}
        ${tick((name) => form.text(name), "writes", "It may push", "To every branch that no rule keeps from deploy keys.")}
        <button class="button main">Add the key</button></form></section>`,
    });
  }

  return [
    page("GET", path, administersAlways, ({ visit, repository }) => keysPage(visit, repository, null)),
    page("POST", path, { ...administers, longForm: true }, ({ visit, doer, repository: access }) => {
      const { form } = visit;
      const key = form.text("key").trim();
      return tryForm(
        async () => {
          const title = form.text("title").trim() || commentOfKey(key);
          const readOnly = form.text("writes") === "";
          await forge.change(doer, (work) => createDeployKey(work, access, { title, key, readOnly }));
          return new Redirect(settingsLink(visit.root, access, "keys"), "The key is added");
        },
        (refused) => keysPage(visit, access, refused),
      );
    }),
    page("POST", `${path}/delete`, administersAlways, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const text = visit.form.text("id");
          const id = readRowId(text);
          if (id === null) {
            throw new NotFound("deploy key", text.slice(0, 40));
          }
          await forge.change(doer, (work) => deleteDeployKey(work, access, id));
          return new Redirect(settingsLink(visit.root, access, "keys"), "The key is deleted");
        },
        (refused) => keysPage(visit, access, refused),
      ),
    ),
  ];
}
