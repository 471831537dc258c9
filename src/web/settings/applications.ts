import type { Actor } from "../../auth/subject.ts";
import { listApplications } from "../../domain/identity/oauth/application-queries.ts";
import { createApplication, deleteApplication } from "../../domain/identity/oauth/applications.ts";
import { listGrants } from "../../domain/identity/oauth/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { formMessage } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { describeScope } from "../oauth/describe-scopes.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect, type Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { revokeGrant } from "../../domain/identity/oauth/revoke-grant.ts";
import { settingsPage } from "./settings-page.ts";

const path = "/user/settings/applications";

function registerForm(visit: Visit): Html {
  const { form } = visit;
  return html`<form class="form" method="post" action="${visit.root}${path}">${visit.formField()}
    <label for="name">Name</label>
    <input type="text" id="name" name="name" value="${form.text("name")}" autocomplete="off" maxlength="255" required>
    <label for="redirect_uris">Redirect addresses</label>
    <textarea id="redirect_uris" name="redirect_uris" rows="3" aria-describedby="uris_hint" spellcheck="false" required>${form.text("redirect_uris")}</textarea>
    <p class="hint" id="uris_hint">One on each line. The server sends users back to these addresses only.</p>
    <label class="choice"><input type="checkbox" name="confidential" value="1" checked> The application runs on a server and can keep a secret</label>
    <button class="button main">Register</button></form>`;
}

/** Applications that act for somebody, and those that they registered. */
export function applicationPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function grants(visit: Visit, actor: Actor): Promise<Html> {
    const items = (await listGrants(db, actor.id)).map(
      ({
        grant,
        application,
      }) => html`<li><div class="grow"><strong>${application.name}</strong> may ${grant.scopes.map(describeScope).join("; ")}<p class="soft">since ${ago(visit, grant.createdAt)}</p></div>
        <form method="post" action="${visit.root}${path}/revoke">${visit.formField()}<input type="hidden" name="id" value="${grant.id}"><button class="button danger" aria-label="Revoke ${application.name}">Revoke</button></form></li>`,
    );
    return items.length === 0 ? html`<p>No application acts for you.</p>` : html`<ul class="panel rows">${items}</ul>`;
  }

  async function applicationsPage(
    visit: Visit,
    actor: Actor,
    told: { status: number; above: Html | null },
  ): Promise<Page> {
    const at = sliceOf(visit.query);
    const { rows, total } = await listApplications(db, actor.id, at);
    const own = rows.map(
      (
        row,
      ) => html`<li><div class="grow"><strong>${row.name}</strong> <code>${row.clientId}</code><p class="soft">${row.redirectUris.join(", ")}</p></div>
        <form method="post" action="${visit.root}${path}/delete">${visit.formField()}<input type="hidden" name="id" value="${row.id}"><button class="button danger" aria-label="Delete ${row.name}">Delete</button></form></li>`,
    );
    return settingsPage(visit, path, {
      status: told.status,
      title: "Applications",
      body: html`<h1>Applications</h1>${told.above}
        <h2>Authorized applications</h2>${await grants(visit, actor)}
        <h2>Your own applications</h2>${own.length === 0 ? html`<p>You have not registered an application.</p>` : html`<ul class="panel rows">${own}</ul>`}${pager(visit, visit.root + path, visit.query, at, total)}
        <h2>New application</h2>${registerForm(visit)}`,
    });
  }

  return [
    page("GET", path, ownAccount, ({ visit, actor }) => applicationsPage(visit, actor, { status: 200, above: null })),
    page("POST", path, ownAccount, async ({ doer, visit, actor }) => {
      const { form } = visit;
      try {
        const fields = {
          name: form.text("name"),
          redirectUris: form
            .text("redirect_uris")
            .split(/\s+/)
            .filter((uri) => uri !== ""),
          confidential: form.text("confidential") !== "",
        };
        const { row, secret } = await forge.change(doer, (work) => createApplication(work, actor, fields));
        const above = html`${note(visit, "good", "The application is registered. Copy its secret now: it is shown only once.")}
          <dl class="pairs"><dt>Client id</dt><dd><code class="secret">${row.clientId}</code></dd><dt>Client secret</dt><dd><code class="secret">${secret}</code></dd></dl>`;
        return await applicationsPage(visit, actor, { status: 200, above });
      } catch (error) {
        const problem = formMessage(error);
        if (problem === null) {
          throw error;
        }
        return applicationsPage(visit, actor, {
          status: problem.status,
          above: note(visit, "bad", `${problem.message}.`),
        });
      }
    }),
    page("POST", `${path}/revoke`, ownAccount, async ({ doer, visit, actor }) => {
      await forge.change(doer, (work) => revokeGrant(work, actor.id, readRowId(visit.form.text("id")) ?? 0));
      return new Redirect(visit.root + path, "The application may no longer act for you");
    }),
    page("POST", `${path}/delete`, ownAccount, async ({ doer, visit, actor }) => {
      await forge.change(doer, (work) => deleteApplication(work, actor, readRowId(visit.form.text("id")) ?? 0));
      return new Redirect(visit.root + path, "The application is deleted");
    }),
  ];
}
