import { checkHealth } from "../../domain/server/health.ts";
import { isRegularTask, listRegularTasks, requestRegularTask } from "../../domain/server/maintenance/regular-tasks.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { version } from "../../lib/version.ts";
import { countJobs } from "../../queue/queries.ts";
import { html, type Html } from "../html.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { note } from "../parts/note.ts";
import { counted, fileSize, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { administersServer, adminLink, adminPage } from "./admin-page.ts";

const marks = {
  pass: { icon: "circle-check", colour: "green", words: "fine" },
  warn: { icon: "triangle-alert", colour: "amber", words: "look at it" },
  fail: { icon: "circle-alert", colour: "red", words: "failed" },
} as const;

/** What the tasks do, in the order of their names. One that is not here is shown by its name. */
const taskWords: Readonly<Record<string, string>> = {
  collect_packs: "Remove packs that nothing refers to",
  collect_blobs: "Remove uploaded files that nothing refers to",
  delete_expired: "Delete what has expired: sessions, grants, links of mails, old dead letters",
  remove_delivered_events: "Remove events that everybody was told of",
  remove_read_notifications: "Remove notifications that were read long ago",
  record_usage: "Record what each owner stores",
  clean_hooks: "Remove old deliveries of webhooks",
  cleanup_packages: "Apply the cleanup rules of packages",
  keep_package_indexes: "Build indexes of packages that are behind",
  count_languages: "Count the languages of repositories",
  update_mirrors: "Plan the updates of mirrors",
  repack_repositories: "Repack repositories that need it",
};

function checkItem(visit: Visit, name: string, { status, output }: { status: keyof typeof marks; output?: string }) {
  const mark = marks[status];
  return html`<li><span class="${mark.colour}">${icon(visit, mark.icon)}</span><b>${name}</b><span class="grow soft">${output ?? mark.words}</span></li>`;
}

function facts(list: readonly (readonly [name: string, value: Html | string])[]): Html {
  return html`<dl class="pairs">${list.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** How the server is, and what it does regularly. */
export function adminOverviewPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    page("GET", "/-/admin", administersServer, async ({ visit }) => {
      const [health, jobs, tasks] = await Promise.all([checkHealth(forge), countJobs(db), listRegularTasks(forge)]);
      const memory = process.memoryUsage.rss();
      const started = new Date(visit.now - process.uptime() * 1000);
      const rows = tasks.map(
        ({ name, runs, previous }) =>
          html`<li><div class="grow"><b>${taskWords[name] ?? name}</b><div class="soft small"><code>${name}</code> · ${previous === null ? "never ran" : html`ran ${ago(visit, previous)}, ${counted(runs, "time")} in all`}</div></div><form method="post" action="${adminLink(visit.root, "tasks")}">${visit.formField()}<button class="button s" name="task" value="${name}">Run now<span class="sr">: ${name}</span></button></form></li>`,
      );
      const next = tasks.find((task) => task.next !== null)?.next ?? null;
      return adminPage(visit, "", {
        title: "Overview",
        body: html`${note(visit, health.status === "pass" ? "good" : "warn", health.status === "pass" ? "Everything works." : "Something needs your attention.")}
          <section class="panel edge" aria-label="Health"><ul class="rows">${Object.entries(health.checks).map(([name, check]) => checkItem(visit, name, check))}</ul></section>
          <section class="stack s"><h2>This server</h2>${facts([
            ["Version", version],
            ["Started", ago(visit, started)],
            ["Memory", `${fileSize(memory)} of the server's process, without the database`],
            ["Jobs", `${wholeNumber(jobs.waiting)} waiting, ${wholeNumber(jobs.running)} running`],
            ["Dead letters", html`<a href="${adminLink(visit.root, "jobs?state=dead")}">${wholeNumber(jobs.dead)}</a>`],
            ["Mail", forge.mail.mailer.configured ? "is sent" : "is not set up: see the documentation"],
            ["Data", html`<code>${forge.config.dataDirectory}</code>`],
            ["Address", html`<code>${forge.addresses.own.base}</code>`],
          ])}</section>
          <section class="stack s"><div class="split"><h2>Regular tasks</h2><span class="soft small">${next === null ? "run only when somebody asks" : html`next run ${ago(visit, next)}`}</span></div><ul class="panel rows">${rows}</ul></section>`,
      });
    }),
    // The family's address.
    page("GET", "/admin", administersServer, ({ visit }) => new Redirect(adminLink(visit.root))),
    page("POST", "/-/admin/tasks", administersServer, async ({ visit, doer }) => {
      const task = visit.form.text("task");
      if (!isRegularTask(task)) {
        throw new NotFound("task", task.slice(0, 80));
      }
      await forge.change(doer, (work) => requestRegularTask(work, task));
      return new Redirect(adminLink(visit.root), `${task} runs.`);
    }),
  ];
}
