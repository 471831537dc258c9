import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import {
  listClosed,
  listMerged,
  listOpened,
  listPublished,
  type PulseItem,
  type PulseList,
} from "../../domain/work/activities/pulse-queries.ts";
import type { ContributionsResult } from "../../git/operations/contributions.ts";
import type { IconName } from "../assets/icons.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { committed } from "../parts/person.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import { ago, dayOf } from "../parts/time.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { barChart } from "./bar-chart.ts";
import { activitySides, chartNumbers, contributingPeople, type ReadContributions } from "./contributions.ts";
import { periodOf, periods, sinceOf, type Period } from "./periods.ts";

/** Rows of each list, and authors. */
const shownItems = 15;
const shownAuthors = 10;

type Published = Awaited<ReturnType<typeof listPublished>>;

/** What happened in a period; of what the visitor may not read, nothing. */
interface Pulse {
  readonly code: ContributionsResult | null;
  readonly mergedPulls: PulseList<PulseItem>;
  readonly openedPulls: PulseList<PulseItem>;
  readonly closedIssues: PulseList<PulseItem>;
  readonly openedIssues: PulseList<PulseItem>;
  readonly releases: Published;
}

async function loadPulse(
  { database: { db } }: Forge,
  read: ReadContributions,
  visit: Visit,
  access: RepositoryAccess,
  { since, bucketSeconds }: { readonly since: number; readonly bucketSeconds: number },
): Promise<Pulse> {
  const { id } = access.repository;
  const from = new Date(since * 1000);
  const none: PulseList<never> = { rows: [], total: 0 };
  const [readsPulls, readsIssues] = [reads(visit, "pulls"), reads(visit, "issues")];
  const [code, mergedPulls, openedPulls, closedIssues, openedIssues, releases] = await Promise.all([
    read(visit, access, { since, bucketSeconds }),
    readsPulls ? listMerged(db, id, from, shownItems) : none,
    readsPulls ? listOpened(db, id, { isPull: true }, from, shownItems) : none,
    readsIssues ? listClosed(db, id, from, shownItems) : none,
    readsIssues ? listOpened(db, id, { isPull: false }, from, shownItems) : none,
    reads(visit, "releases") ? listPublished(db, id, from, shownItems) : none,
  ]);
  return { code, mergedPulls, openedPulls, closedIssues, openedIssues, releases };
}

/** What happened, in a sentence. */
function summary(
  visit: Visit,
  { code, mergedPulls, openedPulls, closedIssues, openedIssues, releases }: Pulse,
): string {
  const facts = [
    code !== null && `${counted(code.commits, "commit")} by ${counted(code.authors, "author")}`,
    reads(visit, "pulls") &&
      `${counted(mergedPulls.total, "pull request")} merged, ${wholeNumber(openedPulls.total)} opened`,
    reads(visit, "issues") &&
      `${counted(closedIssues.total, "issue")} closed, ${wholeNumber(openedIssues.total)} opened`,
    releases.total > 0 && counted(releases.total, "release"),
  ];
  return facts.filter((fact) => fact !== false).join("; ");
}

async function commits(
  forge: Forge,
  visit: Visit,
  found: ContributionsResult,
  period: Period,
  since: number,
): Promise<Html> {
  const people = (await contributingPeople(forge, visit, found)).slice(0, shownAuthors);
  const [from, to] = [since, visit.now / 1000].map((at) => Math.floor(at / period.bucketSeconds)) as [number, number];
  const most = Math.max(1, ...found.buckets.map(([, number]) => number));
  const label = `${counted(found.commits, "commit")} by ${counted(found.authors, "author")}, at most ${most} in a ${period.unit}`;
  const rows = people.map(
    (one) =>
      html`<li>${committed(visit, one.user, one.name)}<span class="grow"></span><meter min="0" max="${people[0]?.commits ?? 1}" value="${one.commits}" aria-label="Share"></meter><span class="num">${counted(one.commits, "commit")}</span></li>`,
  );
  const rest = found.authors - people.length;
  return html`<section class="section"><h2>Commits <span class="count">${wholeNumber(found.commits)}</span></h2>
    ${found.commits === 0 ? html`<p class="soft">No commit reached the default branch.</p>` : html`<div class="panel edge"><div class="body">${barChart(found.buckets, from, to, most, label)}${chartNumbers(visit, found, period.bucketSeconds)}</div><ul class="rows">${rows}</ul></div>${rest > 0 && html`<p class="soft small">and ${counted(rest, "more author", "more authors")}</p>`}`}</section>`;
}

function itemList(visit: Visit, title: string, sign: IconName, list: PulseList<PulseItem>, base: string): Html | null {
  const rows = list.rows.map(
    ({ number, title: text, at }) =>
      html`<li>${icon(visit, sign, "faint")}<a class="plain cut grow" href="${base}/${number}" dir="auto">${text}</a><span class="faint">#${number}</span><span class="soft small not-narrow">${ago(visit, at)}</span></li>`,
  );
  const rest = list.total - list.rows.length;
  return list.total === 0
    ? null
    : html`<section class="section"><h2>${title} <span class="count">${wholeNumber(list.total)}</span></h2><ul class="panel rows links edge">${rows}</ul>${rest > 0 && html`<p class="soft small">and ${wholeNumber(rest)} more</p>`}</section>`;
}

function releaseList(visit: Visit, access: RepositoryAccess, { rows, total }: Published): Html | null {
  const items = rows.map(
    ({ tagName, title, at }) =>
      html`<li>${icon(visit, "tag", "faint")}<a class="plain cut grow" href="${sourceLink(visit.root, access, { kind: "tag", name: tagName }, "")}" dir="auto">${title || tagName}</a><span class="ref">${tagName}</span><span class="soft small not-narrow">${ago(visit, at)}</span></li>`,
  );
  return items.length === 0
    ? null
    : html`<section class="section"><h2>Releases <span class="count">${wholeNumber(total)}</span></h2><ul class="panel rows links edge">${items}</ul></section>`;
}

/** What happened in a repository lately. */
export async function pulsePage(
  forge: Forge,
  read: ReadContributions,
  visit: Visit,
  access: RepositoryAccess,
): Promise<Page> {
  const period = periodOf(visit.query);
  const since = sinceOf(period, visit.now);
  const pulse = await loadPulse(forge, read, visit, access, { since, bucketSeconds: period.bucketSeconds });
  const base = repositoryLink(visit.root, access);
  const links = periods.map(
    ({ key, words }) =>
      html`<a href="${base}/activity?period=${key}"${key === period.key ? html` aria-current="page"` : null}>${words}</a>`,
  );
  const first = dayOf({ root: visit.root, now: visit.now, zone: "UTC" }, new Date(since * 1000));
  return {
    title: `Activity · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "activity" },
    body: html`<div class="tools"><h1 class="grow">Activity</h1><nav class="segments" aria-label="Period">${links}</nav>${activitySides(visit, access, "pulse")}</div>
      <p class="soft">Since ${first}: ${summary(visit, pulse)}.</p>
      ${pulse.code !== null && (await commits(forge, visit, pulse.code, period, since))}
      ${itemList(visit, "Merged pull requests", "git-merge", pulse.mergedPulls, `${base}/pulls`)}
      ${itemList(visit, "New pull requests", "git-pull-request", pulse.openedPulls, `${base}/pulls`)}
      ${itemList(visit, "Closed issues", "circle-check", pulse.closedIssues, `${base}/issues`)}
      ${itemList(visit, "New issues", "circle-dot", pulse.openedIssues, `${base}/issues`)}
      ${releaseList(visit, access, pulse.releases)}`,
  };
}
