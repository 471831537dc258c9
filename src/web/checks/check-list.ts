import type { RepositoryAccess } from "../../auth/subject.ts";
import type { WantedCheck } from "../../domain/git/protections/decide-change.ts";
import { listLatestStatuses, listStatuses, type ShownStatus } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { checkMark } from "../parts/check-mark.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { userName } from "../parts/person.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { checkLine, tookWords, withRequired, type ShownCheck } from "./check-rows.ts";

const pageSize = 100;
/** Reports that the history of the checks on a page is made of, the latest ones. */
const mostReports = 500;

function report(visit: Visit, { status, creator }: ShownStatus): Html {
  return html`<li>${checkMark(visit, status.state)}<span class="grow">${status.state} <span class="soft" dir="auto">${status.description}</span></span><span class="faint small">${creator !== null && html`${userName(visit, creator)} · `}${ago(visit, status.createdAt)}</span></li>`;
}

function row(visit: Visit, check: ShownCheck, reports: readonly ShownStatus[]): Html {
  const [first, latest] = [reports.at(-1), reports[0]];
  const took =
    first === undefined || latest === undefined ? null : tookWords(first.status.createdAt, latest.status.createdAt);
  const history =
    reports.length < 2
      ? null
      : html`<details class="small"><summary><span class="link">${reports.length} reports${took !== null && html` in ${took}`}</span></summary><ul class="checks">${reports.map((one) => report(visit, one))}</ul></details>`;
  return html`<li><div class="grow stack s"><div class="line">${checkLine(visit, check)}</div>${history}</div></li>`;
}

/** The checks of a commit with their history, those that a rule wants first. `address`: of the page. */
export async function checkList(
  forge: Forge,
  visit: Visit,
  { repository }: RepositoryAccess,
  { oid, wanted, address }: { oid: string; wanted: readonly WantedCheck[]; address: string },
): Promise<Html> {
  const { db } = forge.database;
  const at = sliceOf(visit.query, pageSize);
  const target = { repositoryId: repository.id, oid };
  const [{ rows, total }, reports] = await Promise.all([
    listLatestStatuses(db, visit, target, at),
    listStatuses(db, visit, target, { state: null, oldestFirst: false }, { size: mostReports, offset: 0 }),
  ]);
  const shown = withRequired(rows, wanted).filter(({ latest }) => latest !== null || at.number === 1);
  if (shown.length === 0) {
    return empty(visit, "circle-dot", "No checks", "Programs that test a commit report to it over the API.");
  }
  const history = Map.groupBy(reports.rows, ({ status }) => status.context);
  const list = (title: string, checks: readonly ShownCheck[]) =>
    checks.length > 0 &&
    html`<section class="section merge"><h2>${title}</h2><ul class="panel edge rows">${checks.map((check) => row(visit, check, history.get(check.context) ?? []))}</ul></section>`;
  const required = shown.filter(({ isRequired }) => isRequired);
  const others = shown.filter(({ isRequired }) => !isRequired);
  return html`${list("Required", required)}${list(required.length === 0 ? "Checks" : "Others", others)}${pager(visit, address, visit.query, at, total)}`;
}
