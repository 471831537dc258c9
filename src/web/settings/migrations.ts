import { findMigration, listMigrations, type MigrationRow } from "../../domain/exchange/migrations/queries.ts";
import { cancelMigration } from "../../domain/exchange/migrations/run-migration.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { cardTable } from "../parts/table.ts";
import { ago } from "../parts/time.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { settingsPage } from "./settings-page.ts";

const path = "/user/settings/migrations";
const columns = ["Repository", "From", "Started", "State", "Action"].map((name) => ({ name }));

const isRunning = ({ state }: MigrationRow) => state === "waiting" || state === "running";

/** Returns the progress or the result of a migration. */
export function migrationProgress(row: MigrationRow): Html {
  switch (row.state) {
    case "waiting":
      return html`waiting`;
    case "running":
      return html`<progress max="100" value="${row.percentage}">${row.percentage}%</progress> ${row.percentage}%: ${row.step}`;
    case "done":
      return html`${row.step === "" ? "done" : row.step}`;
    case "failed":
      return html`failed: ${row.error}`;
    case "cancelled":
      return html`cancelled`;
  }
}

function nameOf(visit: Visit, { fullName, repositoryId }: MigrationRow): Html {
  const link = `${visit.root}/${fullName.split("/").map(encodeURIComponent).join("/")}`;
  return repositoryId === null ? html`${fullName}` : html`<a href="${link}">${fullName}</a>`;
}

/** The migrations of the signed-in user, with their progress. */
export function migrationPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  return [
    page("GET", path, ownAccount, async ({ visit, actor }) => {
      const at = sliceOf(visit.query);
      const { rows, total } = await listMigrations(db, actor.id, at);
      const items = rows.map((row) => {
        const cancel = html`<form class="inline" method="post" action="${visit.root}${path}/cancel">${visit.formField()}
          <input type="hidden" name="id" value="${row.id}"><button class="link">Cancel</button></form>`;
        return [
          nameOf(visit, row),
          html`${row.address}`,
          ago(visit, row.createdAt),
          migrationProgress(row),
          isRunning(row) ? cancel : html``,
        ];
      });
      const table = cardTable(columns, items);
      return settingsPage(visit, path, {
        title: "Migrations",
        body: html`<h1>Migrations</h1>
          ${total === 0 ? html`<p>You have not migrated a repository from another server. <code>POST /repos/migrate</code> of the <a href="${visit.root}/api/swagger">API</a> does that.</p>` : table}
          ${pager(visit, visit.root + path, visit.query, at, total)}`,
      });
    }),
    page("POST", `${path}/cancel`, ownAccount, async ({ doer, visit, actor }) => {
      const id = visit.form.text("id");
      const row = /^\d{1,15}$/.test(id) ? await findMigration(db, Number(id)) : null;
      // One that has ended meanwhile shows that on the page.
      if (row !== null && row.actorId === actor.id && isRunning(row)) {
        await forge.change(doer, (work) => cancelMigration(work, actor.id, row.id));
      }
      return new Redirect(visit.root + path);
    }),
  ];
}
