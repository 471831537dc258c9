import type { RepositoryAccess } from "../../auth/subject.ts";
import { editPullMirror } from "../../domain/exchange/mirrors/edit-pull-mirror.ts";
import { addPushMirror, deletePushMirror } from "../../domain/exchange/mirrors/edit-push-mirror.ts";
import { readInterval, writeInterval } from "../../domain/exchange/mirrors/interval.ts";
import {
  findPullMirror,
  listPushMirrors,
  type PullMirrorRow,
  type PushMirrorRow,
} from "../../domain/exchange/mirrors/queries.ts";
import { requestPullSync, requestPushSync } from "../../domain/exchange/mirrors/request-sync.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { ago } from "../parts/time.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { tick } from "./column-form.ts";
import { administers, administersAlways, settingsLink, settingsPage } from "./settings-page.ts";

const fieldNames = [
  "mirror_interval",
  "remote_address",
  "remote_username",
  "remote_password",
  "branch_filter",
  "interval",
  "use_ssh",
];

const link = (visit: Visit, access: RepositoryAccess, below = "") =>
  settingsLink(visit.root, access, `mirrors${below}`);

/** How a mirror stands, in words. */
function standing(visit: Visit, row: PullMirrorRow | PushMirrorRow): Html {
  const often =
    row.intervalSeconds === 0
      ? "only when somebody asks for it"
      : `every ${writeInterval(row.intervalSeconds).replace(/0m0s$|0s$/, "")}`;
  const when = row.syncedAt === null ? html`never synchronized yet` : html`synchronized ${ago(visit, row.syncedAt)}`;
  const tried =
    row.lastError === ""
      ? null
      : note(
          visit,
          "bad",
          html`The last try${row.triedAt !== null && html`, ${ago(visit, row.triedAt)},`} failed${row.failures > 1 && `, and so did ${row.failures - 1} before`}: ${row.lastError}. It is tried again, less often the longer it fails.`,
        );
  const signsIn = row.sealedCredentials === null ? "without signing in" : "signs in with what nobody is shown";
  return html`<p class="soft small">${when} · ${often} · ${signsIn}</p>${tried}`;
}

function pushRow(visit: Visit, access: RepositoryAccess, row: PushMirrorRow): Html {
  const key =
    row.publicKey === null
      ? null
      : html`<p class="small">The other server has to know this key: <span class="line"><code>${row.publicKey}</code>${copyButton(visit, row.publicKey, { label: "Copy the key", isSmall: true })}</span></p>`;
  return html`<li class="rule"><div class="grow stack s"><b>${row.address}</b>${row.branchFilter !== "" && html`<p class="soft small">branches <code>${row.branchFilter}</code></p>`}${row.syncOnCommit && html`<p class="soft small">after each push</p>`}${standing(visit, row)}${key}</div><form method="post" action="${link(visit, access, "/delete")}">${visit.formField()}<input type="hidden" name="name" value="${row.name}"><button class="button danger" aria-label="Delete ${row.address}">Delete</button></form></li>`;
}

/** Where a repository is copied from, and where it is copied to. */
export function mirrorPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const path = "/:owner/:repo/settings/mirrors";
  const least = forge.config.mirror.minimum_interval_seconds;

  async function pullSection(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Html | null> {
    const row = access.repository.mirror ? await findPullMirror(db, access.repository.id) : null;
    if (row === null) {
      return null;
    }
    const { form } = visit;
    const isTyped = refused !== null && form.has("mirror_interval");
    const interval = isTyped ? form.text("mirror_interval") : writeInterval(row.intervalSeconds);
    const prune = isTyped ? form.text("enable_prune") : row.prune ? "1" : "";
    return html`<section class="section"><div class="split flow"><h2>It follows another repository</h2><form method="post" action="${link(visit, access, "/sync")}">${visit.formField()}<button class="button">${icon(visit, "refresh-cw")}Synchronize now</button></form></div>
      <p><a rel="nofollow" href="${row.address}">${row.address}</a></p>${standing(visit, row)}
      <form class="form" method="post" action="${link(visit, access)}">${visit.formField()}
      ${field(refused, { name: "mirror_interval", label: "How often", hint: `Hours, minutes and seconds, such as 8h30m0s; at least ${writeInterval(least)}, or 0 for never.` }, (attributes) => html`<input type="text" class="mono" ${attributes} value="${interval}" autocomplete="off" maxlength="40" required>`)}
      ${tick(() => prune, "enable_prune", "What is deleted there is deleted here", "Branches and tags.")}
      <button class="button main">Save</button></form>
      <p class="soft small">Its address and its password cannot be changed: <a href="${settingsLink(visit.root, access, "danger/convert-mirror")}">stop mirroring</a>, or migrate it anew.</p></section>`;
  }

  function addForm(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Html {
    const { form } = visit;
    const text = (name: string, label: string, hint: string | null, isRequired = false) =>
      field(
        refused,
        { name, label, hint },
        (attributes) =>
          html`<input type="text" class="mono" ${attributes} value="${form.text(name)}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2048"${isRequired && html` required`}>`,
      );
    return html`<section class="section"><h2>Copy it somewhere else</h2><p class="soft">All branches and tags are pushed there, and deleted there when they are gone here.</p>
      <form class="form" method="post" action="${link(visit, access, "/new")}">${visit.formField()}
      ${text("remote_address", "Address", "https://…, http://…, ssh://… or user@host:path. Make an empty repository there first.", true)}
      ${text("remote_username", "User name there", null)}
      ${field(refused, { name: "remote_password", label: "Password or token there", hint: "Nobody is shown it again." }, (attributes) => html`<input type="password" ${attributes} autocomplete="new-password" maxlength="2048">`)}
      ${tick((name) => form.text(name), "use_ssh", "Sign in with a key", "For an address of SSH: the server makes a key, and shows the half that the other server has to know.")}
      ${text("branch_filter", "Branches", "A pattern, such as release/*; empty: all.")}
      ${field(refused, { name: "interval", label: "How often", hint: `Such as 8h0m0s, at least ${writeInterval(least)}; 0: only after pushes, or when asked to.` }, (attributes) => html`<input type="text" class="mono" ${attributes} value="${form.has("interval") ? form.text("interval") : "8h0m0s"}" autocomplete="off" maxlength="40">`)}
      ${tick((name) => (form.has("remote_address") ? form.text(name) : "1"), "sync_on_commit", "After each push", "Besides.")}
      <button class="button main">Add the mirror</button></form></section>`;
  }

  async function mirrorsPage(visit: Visit, access: RepositoryAccess, refused: Refusal | null): Promise<Page> {
    const [pull, { rows, total }] = await Promise.all([
      pullSection(visit, access, refused),
      listPushMirrors(db, access.repository.id, { size: 100, offset: 0 }),
    ]);
    const list =
      total === 0
        ? empty(visit, "refresh-cw", "It is copied nowhere", "A push mirror keeps a copy on another server up to date.")
        : html`<ul class="panel edge rows">${rows.map((row) => pushRow(visit, access, row))}</ul>`;
    const sync =
      total > 0 &&
      html`<form method="post" action="${link(visit, access, "/push")}">${visit.formField()}<button class="button">${icon(visit, "refresh-cw")}Push all now</button></form>`;
    return settingsPage(visit, access, "mirrors", {
      ...(refused === null ? {} : { status: refused.status }),
      title: "Mirrors",
      about: "Copies of a repository that follow each other.",
      body: html`${note(visit, "bad", problemAbove(refused, fieldNames))}${pull}<section class="section"><div class="split flow"><h2>Push mirrors</h2>${sync}</div>${list}</section>${addForm(visit, access, refused)}`,
    });
  }

  return [
    page("GET", path, administersAlways, ({ visit, repository }) => mirrorsPage(visit, repository, null)),
    page("POST", path, administers, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          if (!access.repository.mirror) {
            throw new NotFound("pull mirror", access.repository.name);
          }
          const intervalSeconds = readInterval(visit.form.text("mirror_interval").trim(), "mirror_interval", least);
          const patch = { intervalSeconds, prune: visit.form.text("enable_prune") !== "" };
          await forge.change(doer, (work) => editPullMirror(work, access.repository, patch));
          return new Redirect(link(visit, access), "The mirror is saved");
        },
        (refused) => mirrorsPage(visit, access, refused),
      ),
    ),
    page("POST", `${path}/sync`, administers, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          await forge.change(doer, (work) => requestPullSync(work, access));
          return new Redirect(link(visit, access), "The mirror is synchronized soon");
        },
        (refused) => mirrorsPage(visit, access, refused),
      ),
    ),
    page("POST", `${path}/push`, administers, async ({ visit, doer, repository: access }) => {
      await forge.change(doer, (work) => requestPushSync(work, access.repository.id));
      return new Redirect(link(visit, access), "The mirrors are pushed to soon");
    }),
    page("POST", `${path}/new`, administers, ({ visit, doer, repository: access }) => {
      const { form } = visit;
      return tryForm(
        async () => {
          const row = await addPushMirror(forge, doer, access, {
            address: form.text("remote_address").trim(),
            username: form.text("remote_username").trim(),
            password: form.text("remote_password"),
            useSsh: form.text("use_ssh") !== "",
            intervalSeconds: readInterval(form.text("interval").trim() || "0", "interval", least),
            syncOnCommit: form.text("sync_on_commit") !== "",
            branchFilter: form.text("branch_filter").trim(),
          });
          return new Redirect(link(visit, access), `It is copied to ${row.address} soon`);
        },
        // That there is no such server, or that it may not be called, is told without a field.
        (refused) => mirrorsPage(visit, access, { ...refused, field: refused.field ?? "remote_address" }),
      );
    }),
    page("POST", `${path}/delete`, administersAlways, ({ visit, doer, repository: access }) =>
      tryForm(
        async () => {
          const name = visit.form.text("name");
          await forge.change(doer, (work) => deletePushMirror(work, access, name));
          return new Redirect(link(visit, access), "The mirror is deleted; what was pushed there stays");
        },
        (refused) => mirrorsPage(visit, access, refused),
      ),
    ),
  ];
}
