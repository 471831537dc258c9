import { listSessions } from "../../domain/identity/sessions/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { cardTable } from "../parts/table.ts";
import { ago } from "../parts/time.ts";
import { Redirect } from "../respond.ts";
import { endSession, endSessions } from "../../domain/identity/sessions/start-session.ts";
import { settingsPage } from "./settings-page.ts";

const path = "/user/settings/sessions";
const columns = [
  { name: "Browser" },
  { name: "Address", whole: true },
  { name: "Signed in" },
  { name: "Last used" },
  { name: "Action", whole: true },
];

/** Where somebody is signed in. */
export function sessionPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  return [
    page("GET", path, ownAccount, async ({ visit, actor }) => {
      const rows = await listSessions(db, actor.id, forge.config.auth.session_idle_hours);
      const items = rows.map((row) => {
        const isThis = row.id === visit.session?.row.id;
        const end = html`<form class="inline" method="post" action="${visit.root}${path}/end">${visit.formField()}
          <input type="hidden" name="id" value="${row.id}"><button class="link">Sign out</button></form>`;
        return [
          html`${row.userAgent === "" ? "unknown" : row.userAgent}`,
          html`${row.address}`,
          ago(visit, row.createdAt),
          ago(visit, row.lastUsedAt),
          isThis ? html`<span class="tag">this browser</span>` : end,
        ];
      });
      return settingsPage(visit, path, {
        title: "Browsers",
        body: html`<h1>Signed-in browsers</h1>
          ${cardTable(columns, items)}
          <form method="post" action="${visit.root}${path}/end_others">${visit.formField()}<button class="button danger">Sign out all other browsers</button></form>`,
      });
    }),
    page("POST", `${path}/end`, ownAccount, async ({ doer, visit, actor }) => {
      const id = visit.form.text("id");
      if (/^\d{1,15}$/.test(id)) {
        await forge.change(doer, (work) => endSession(work, actor.id, Number(id)));
      }
      return new Redirect(visit.root + path, "That browser is signed out");
    }),
    page("POST", `${path}/end_others`, ownAccount, async ({ doer, visit, actor }) => {
      await forge.change(doer, (work) => endSessions(work, actor.id, visit.session?.row.id ?? null));
      return new Redirect(visit.root + path, "All your other browsers are signed out");
    }),
  ];
}
