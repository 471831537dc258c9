import type { Actor } from "../../auth/subject.ts";
import { commentOfKey } from "../../domain/identity/keys/comment-of-key.ts";
import { createUserKey } from "../../domain/identity/keys/create-user-key.ts";
import { deleteUserKey } from "../../domain/identity/keys/delete-user-key.ts";
import { listUserKeys } from "../../domain/identity/keys/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { formMessage } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { cardTable } from "../parts/table.ts";
import { ago } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { settingsPage } from "./settings-page.ts";
import { readRowId } from "../read-row-id.ts";

const path = "/user/settings/keys";
const columns = ["Key", "Added", "Last used", "Action"].map((name) => ({ name }));

/** The input of the form for a new key. */
interface Typed {
  title: string;
  key: string;
}

/** The result of a form. */
interface Told {
  status?: number;
  problem?: string;
  typed?: Typed;
}

function addForm(visit: Visit, { title, key }: Typed): Html {
  return html`<form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
    <label for="key">Public key</label>
    <textarea id="key" name="key" rows="4" aria-describedby="key_hint" spellcheck="false" autocomplete="off" required>${key}</textarea>
    <p class="hint" id="key_hint">The line in a file such as <code>~/.ssh/id_ed25519.pub</code>. <code>ssh-keygen -t ed25519</code> makes one.</p>
    <label for="title">Title</label>
    <input type="text" id="title" name="title" value="${title}" autocomplete="off" maxlength="255" aria-describedby="title_hint">
    <p class="hint" id="title_hint">The machine that has the key. If you leave this empty, the title is the comment at the end of the key.</p>
    <button class="button main">Add the key</button></form>`;
}

/** Public keys for git over SSH: the user's keys, and adding and deleting them. */
export function keyPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function keysPage(
    visit: Visit,
    actor: Actor,
    { status = 200, problem, typed = { title: "", key: "" } }: Told,
  ): Promise<Page> {
    const at = sliceOf(visit.query);
    const { rows, total } = await listUserKeys(db, actor.id, {}, at);
    const items = rows.map((row) => [
      html`${row.title}<br><code>${row.fingerprint}</code>`,
      ago(visit, row.createdAt),
      row.lastUsedAt === null ? html`never` : ago(visit, row.lastUsedAt),
      html`<form method="post" action="${visit.root}${path}/delete">${visit.formField()}<input type="hidden" name="id" value="${row.id}"><button class="button danger" aria-label="Delete ${row.title}">Delete</button></form>`,
    ]);
    const list = html`${cardTable(columns, items)}${pager(visit, visit.root + path, visit.query, at, total)}`;
    const { sshBase } = forge.addresses;
    const where =
      sshBase === null
        ? html`<p>This server offers no SSH: git uses HTTP here.</p>`
        : html`<p>Git over SSH: <code>${sshBase}/OWNER/REPOSITORY.git</code></p>`;
    return settingsPage(visit, path, {
      status,
      title: "SSH keys",
      body: html`<h1>SSH keys</h1>${note(visit, "bad", problem ?? null)}${where}${total === 0 ? html`<p>You have no keys.</p>` : list}<h2>Add a key</h2>${addForm(visit, typed)}`,
    });
  }

  return [
    page("GET", path, ownAccount, ({ visit, actor }) => keysPage(visit, actor, {})),
    page("POST", path, ownAccount, async ({ doer, visit, actor }) => {
      const typed = { title: visit.form.text("title").trim(), key: visit.form.text("key").trim() };
      try {
        const title = typed.title === "" ? commentOfKey(typed.key) : typed.title;
        await forge.change(doer, (work) => createUserKey(work, actor, { title, key: typed.key }));
        return new Redirect(visit.root + path, "The key is added");
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        // A private key that was pasted here by mistake is not sent back.
        const shown = typed.key.includes("PRIVATE KEY") ? { ...typed, key: "" } : typed;
        return keysPage(visit, actor, { status: problem.status, problem: `${problem.message}.`, typed: shown });
      }
    }),
    page("POST", `${path}/delete`, ownAccount, async ({ doer, visit, actor }) => {
      const text = visit.form.text("id");
      const id = readRowId(text);
      if (id === null) {
        throw new NotFound("public key", text.slice(0, 40));
      }
      await forge.change(doer, (work) => deleteUserKey(work, actor, id));
      return new Redirect(visit.root + path, "The key is deleted");
    }),
  ];
}
