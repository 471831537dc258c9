import { settleDeadLetter } from "../../domain/server/maintenance/dead-letters.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listJobs, type StoredJob } from "../../queue/queries.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { choiceMenu } from "../parts/repository-search.ts";
import { counted } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { administersServer, adminLink, adminPage } from "./admin-page.ts";

const states = ["dead", "waiting", "running", "scheduled"] as const;
const names = { dead: "Failed for good", waiting: "Waiting", running: "Running", scheduled: "Scheduled" } as const;
const none = {
  dead: "No job failed for good",
  waiting: "No job waits",
  running: "No job runs",
  scheduled: "No job waits for its time",
} as const;
/** Who has more needs the first ones. */
const mostShown = 200;
/** An error may quote what a user sent. */
const longestError = 1_000;

function jobItem(visit: Visit, { id, kind, state, attempts, lastError, runAt }: StoredJob): Html {
  const address = adminLink(visit.root, `jobs/${id}`);
  const forms =
    state === "dead" &&
    html`<form class="line" method="post" action="${address}">${visit.formField()}<button class="button s" name="act" value="retry">Try again<span class="sr">: job ${id}</span></button><button class="button s danger" name="act" value="delete">Delete<span class="sr"> job ${id}</span></button></form>`;
  return html`<li><div class="grow stack s"><div class="line flow"><b>${kind}</b><span class="soft">#${id} · ${counted(attempts, "try", "tries")} · ${ago(visit, runAt)}</span></div>${lastError !== null && html`<pre class="small" tabindex="0">${lastError.slice(0, longestError)}</pre>`}</div>${forms}</li>`;
}

/** The jobs of the queue: dead letters can be tried again. */
export function adminJobPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    page("GET", "/-/admin/jobs", administersServer, async ({ visit }) => {
      const state = states.find((one) => one === visit.query.get("state")) ?? "dead";
      const rows = await listJobs(db, [state], mostShown);
      const at = { address: adminLink(visit.root, "jobs"), query: visit.query };
      const kinds = states.map((key) => ({ key, words: names[key] }));
      return adminPage(visit, "jobs", {
        title: "Jobs",
        tools: choiceMenu(visit, at, { name: "state", label: "State" }, kinds, "dead"),
        body: html`<section class="panel edge" aria-label="${names[state]}">${rows.length === 0 ? empty(visit, "circle-check", none[state], "The server does mails, webhooks, mirrors and repacks as jobs.") : html`<ul class="rows">${rows.map((row) => jobItem(visit, row))}</ul>`}</section>${rows.length === mostShown && html`<p class="soft">${icon(visit, "info")} These are the oldest ${mostShown}.</p>`}`,
      });
    }),
    page("POST", "/-/admin/jobs/:id", administersServer, async ({ visit, doer }) => {
      const how = visit.form.text("act") === "delete" ? "delete" : "retry";
      await settleDeadLetter(forge, doer, readRowId(visit.params["id"] ?? "") ?? 0, how);
      const said = how === "delete" ? "The job is deleted." : "The job is tried again.";
      return new Redirect(adminLink(visit.root, "jobs?state=dead"), said);
    }),
  ];
}
