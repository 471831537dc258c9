import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { prepareReadContributions } from "../../domain/git/commits/contributions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import {
  listClosed,
  listMerged,
  listOpened,
  listPublished,
  type PulseItem,
  type PulseList,
} from "../../domain/work/activities/pulse-queries.ts";
import type { Contributor, ContributionsResult } from "../../git/operations/contributions.ts";
import type { IconName } from "../assets/icons.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago, dayOf } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { barChart } from "./bar-chart.ts";
import { periodOf, periods, sinceOf, type Period } from "./periods.ts";
import { committed } from "../parts/person.ts";

const week = 7 * 86_400;
/** Rows of each list, and authors of a period and of the whole history. */
const shownItems = 15;
const shownAuthors = 10;
const shownContributors = 48;
const mostNumbers = 60;

function count(number: number, one: string, many = `${one}s`): string {
  return `${wholeNumber(number)} ${number === 1 ? one : many}`;
}

/** Commits of the same user under several addresses are one contributor's. */
interface Person extends Contributor {
  readonly user: OwnerRow | null;
}

function sides(visit: Visit, access: RepositoryAccess, current: "pulse" | "contributors"): Html {
  const base = `${repositoryLink(visit.root, access)}/activity`;
  const link = (key: string, name: string, href: string) =>
    html`<a href="${href}"${key === current ? html` aria-current="page"` : null}>${name}</a>`;
  return html`<nav class="segments" aria-label="Activity">${link("pulse", "Pulse", base)}${link("contributors", "Contributors", `${base}/contributors`)}</nav>`;
}

/** What the bars of a chart say, for those who do not see them; of many bars, by the year. */
function numbers(visit: Visit, { buckets }: ContributionsResult, bucketSeconds: number): Html {
  const isLong = buckets.length > mostNumbers;
  const sums = new Map<string, number>();
  for (const [bucket, commits] of buckets) {
    const at = new Date(bucket * bucketSeconds * 1000);
    const from = isLong ? String(at.getUTCFullYear()) : dayOf(visit, at);
    sums.set(from, (sums.get(from) ?? 0) + commits);
  }
  const rows = [...sums].map(
    ([from, commits]) => html`<tr><td>${from}</td><td class="num">${wholeNumber(commits)}</td></tr>`,
  );
  return html`<details><summary class="soft small">Numbers</summary><div class="scroll"><table class="wide"><thead><tr><th scope="col">${isLong ? "Year" : "From"}</th><th scope="col">Commits</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
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

/** What happened in a repository lately, and who made it. */
export function activityPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const readContributions = prepareReadContributions(forge.git.engine);

  async function people(visit: Visit, { contributors }: ContributionsResult): Promise<Person[]> {
    const users = await forge.findUsersByEmail(
      contributors.map(({ email }) => email),
      visit,
    );
    const merged = new Map<string, Person>();
    for (const one of contributors) {
      const user = users.find(one.email);
      const key = user === null ? one.email : `user ${user.id}`;
      const known = merged.get(key);
      const buckets = new Map(known?.buckets);
      one.buckets.forEach(([bucket, commits]) => buckets.set(bucket, (buckets.get(bucket) ?? 0) + commits));
      const commits = one.commits + (known?.commits ?? 0);
      merged.set(key, { ...one, user, commits, buckets: [...buckets] });
    }
    return [...merged.values()].toSorted((one, other) => other.commits - one.commits);
  }

  async function ofCode(
    visit: Visit,
    access: RepositoryAccess,
    period: { since: number | null; bucketSeconds: number },
  ) {
    const revision =
      access.repository.empty || !reads(visit, "code") ? null : await forge.git.revisions.find(access.repository);
    return revision === null ? null : readContributions(revision, period, visit.request.signal);
  }

  async function commitsOf(visit: Visit, found: ContributionsResult, period: Period, since: number): Promise<Html> {
    const persons = (await people(visit, found)).slice(0, shownAuthors);
    const [from, to] = [since, visit.now / 1000].map((at) => Math.floor(at / period.bucketSeconds)) as [number, number];
    const most = Math.max(1, ...found.buckets.map(([, commits]) => commits));
    const label = `${count(found.commits, "commit")} by ${count(found.authors, "author")}, at most ${most} in a ${period.unit}`;
    const rows = persons.map(
      (one) =>
        html`<li>${committed(visit, one.user, one.name)}<span class="grow"></span><meter min="0" max="${persons[0]?.commits ?? 1}" value="${one.commits}" aria-label="Share"></meter><span class="num">${count(one.commits, "commit")}</span></li>`,
    );
    const rest = found.authors - persons.length;
    return html`<section class="section"><h2>Commits <span class="count">${wholeNumber(found.commits)}</span></h2>
      ${found.commits === 0 ? html`<p class="soft">No commit reached the default branch.</p>` : html`<div class="panel edge"><div class="body">${barChart(found.buckets, from, to, most, label)}${numbers(visit, found, period.bucketSeconds)}</div><ul class="rows">${rows}</ul></div>${rest > 0 && html`<p class="soft small">and ${count(rest, "more author", "more authors")}</p>`}`}</section>`;
  }

  return [
    page(
      "GET",
      "/:owner/:repo/activity",
      { may: { on: "repository", do: "read", unit: "any" }, past: true },
      async ({ visit, repository: access }) => {
        const { id } = access.repository;
        const period = periodOf(visit.query);
        const since = sinceOf(period, visit.now);
        const from = new Date(since * 1000);
        const none: PulseList<never> = { rows: [], total: 0 };
        const [readsPulls, readsIssues] = [reads(visit, "pulls"), reads(visit, "issues")];
        const [code, merged, openedPulls, closed, opened, releases] = await Promise.all([
          ofCode(visit, access, { since, bucketSeconds: period.bucketSeconds }),
          readsPulls ? listMerged(db, id, from, shownItems) : none,
          readsPulls ? listOpened(db, id, { isPull: true }, from, shownItems) : none,
          readsIssues ? listClosed(db, id, from, shownItems) : none,
          readsIssues ? listOpened(db, id, { isPull: false }, from, shownItems) : none,
          reads(visit, "releases") ? listPublished(db, id, from, shownItems) : none,
        ]);
        const base = repositoryLink(visit.root, access);
        const links = periods.map(
          ({ key, words }) =>
            html`<a href="${base}/activity?period=${key}"${key === period.key ? html` aria-current="page"` : null}>${words}</a>`,
        );
        const facts = [
          code !== null && `${count(code.commits, "commit")} by ${count(code.authors, "author")}`,
          readsPulls && `${count(merged.total, "pull request")} merged, ${wholeNumber(openedPulls.total)} opened`,
          readsIssues && `${count(closed.total, "issue")} closed, ${wholeNumber(opened.total)} opened`,
          releases.total > 0 && count(releases.total, "release"),
        ];
        const published = releases.rows.map(
          ({ tagName, title, at }) =>
            html`<li>${icon(visit, "tag", "faint")}<a class="plain cut grow" href="${sourceLink(visit.root, access, { kind: "tag", name: tagName }, "")}" dir="auto">${title || tagName}</a><span class="ref">${tagName}</span><span class="soft small not-narrow">${ago(visit, at)}</span></li>`,
        );
        return {
          title: `Activity · ${access.owner.name}/${access.repository.name}`,
          place: { tab: "activity" },
          body: html`<div class="tools"><h1 class="grow">Activity</h1><nav class="segments" aria-label="Period">${links}</nav>${sides(visit, access, "pulse")}</div>
            <p class="soft">Since ${dayOf({ root: visit.root, now: visit.now, zone: "UTC" }, from)}: ${facts.filter((fact) => fact !== false).join("; ")}.</p>
            ${code !== null && (await commitsOf(visit, code, period, since))}
            ${itemList(visit, "Merged pull requests", "git-merge", merged, `${base}/pulls`)}
            ${itemList(visit, "New pull requests", "git-pull-request", openedPulls, `${base}/pulls`)}
            ${itemList(visit, "Closed issues", "circle-check", closed, `${base}/issues`)}
            ${itemList(visit, "New issues", "circle-dot", opened, `${base}/issues`)}
            ${published.length > 0 && html`<section class="section"><h2>Releases <span class="count">${wholeNumber(releases.total)}</span></h2><ul class="panel rows links edge">${published}</ul></section>`}`,
        };
      },
    ),
    page(
      "GET",
      "/:owner/:repo/activity/contributors",
      { ...readsCode, past: true },
      async ({ visit, repository: access }) => {
        const found = await ofCode(visit, access, { since: null, bucketSeconds: week });
        const persons = found === null ? [] : (await people(visit, found)).slice(0, shownContributors);
        const [from, to] = [found?.buckets[0]?.[0] ?? 0, found?.buckets.at(-1)?.[0] ?? 0];
        const mostOfAll = Math.max(1, ...(found?.buckets ?? []).map(([, commits]) => commits));
        const mostOfOne = Math.max(1, ...persons.flatMap(({ buckets }) => buckets.map(([, commits]) => commits)));
        const cards = persons.map(
          (one) =>
            html`<li class="panel"><div class="head">${committed(visit, one.user, one.name)}<span class="grow"></span><span class="soft num">${count(one.commits, "commit")}</span></div><div class="body">${barChart(one.buckets, from, to, mostOfOne, `Commits of ${one.name} a week`)}</div></li>`,
        );
        const isCut = found?.isWhole === false;
        return {
          title: `Contributors · ${access.owner.name}/${access.repository.name}`,
          place: { tab: "activity" },
          body: html`<div class="tools"><h1 class="grow">Contributors</h1>${sides(visit, access, "contributors")}</div>
            ${isCut && note(visit, "info", "The history is long: only its latest commits are counted.")}
            ${
              found === null || found.commits === 0
                ? empty(visit, "history", "No commits", "Nothing was pushed to the default branch yet.")
                : html`<p class="soft">${count(found.commits, "commit")} by ${count(found.authors, "author")} from ${dayOf(visit, new Date(from * week * 1000))} to ${dayOf(visit, new Date(to * week * 1000))}, merges left out. A bar is a week.</p>
            <div class="panel edge"><div class="body">${barChart(found.buckets, from, to, mostOfAll, `Commits a week, at most ${mostOfAll}`)}${numbers(visit, found, week)}</div></div>
            <ul class="people">${cards}</ul>${found.authors > persons.length && html`<p class="soft">and ${count(found.authors - persons.length, "more author", "more authors")}</p>`}`
            }`,
        };
      },
    ),
  ];
}
