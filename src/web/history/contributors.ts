import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { ContributionsResult } from "../../git/operations/contributions.ts";
import { html, type Html } from "../html.ts";
import { empty, note } from "../parts/note.ts";
import { committed } from "../parts/person.ts";
import { dayOf } from "../parts/time.ts";
import { counted } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { barChart } from "./bar-chart.ts";
import { activitySides, chartNumbers, contributingPeople, type ReadContributions } from "./contributions.ts";

const week = 7 * 86_400;
const shownContributors = 48;

function most(numbers: readonly number[]): number {
  return Math.max(1, ...numbers);
}

async function charts(forge: Forge, visit: Visit, found: ContributionsResult): Promise<Html> {
  const { buckets, commits, authors } = found;
  const people = (await contributingPeople(forge, visit, found)).slice(0, shownContributors);
  const [from, to] = [buckets[0]?.[0] ?? 0, buckets.at(-1)?.[0] ?? 0];
  const mostOfAll = most(buckets.map(([, number]) => number));
  const mostOfOne = most(people.flatMap((one) => one.buckets.map(([, number]) => number)));
  const cards = people.map(
    (one) =>
      html`<li class="panel"><div class="head">${committed(visit, one.user, one.name)}<span class="grow"></span><span class="soft num">${counted(one.commits, "commit")}</span></div><div class="body">${barChart(one.buckets, from, to, mostOfOne, `Commits of ${one.name} a week`)}</div></li>`,
  );
  const day = (bucket: number) => dayOf(visit, new Date(bucket * week * 1000));
  return html`<p class="soft">${counted(commits, "commit")} by ${counted(authors, "author")} from ${day(from)} to ${day(to)}, merges left out. A bar is a week.</p>
    <div class="panel edge"><div class="body">${barChart(buckets, from, to, mostOfAll, `Commits a week, at most ${mostOfAll}`)}${chartNumbers(visit, found, week)}</div></div>
    <ul class="people">${cards}</ul>${authors > people.length && html`<p class="soft">and ${counted(authors - people.length, "more author", "more authors")}</p>`}`;
}

/** Who made a repository, over all of its history. */
export async function contributorsPage(
  forge: Forge,
  read: ReadContributions,
  visit: Visit,
  access: RepositoryAccess,
): Promise<Page> {
  const found = await read(visit, access, { since: null, bucketSeconds: week });
  return {
    title: `Contributors · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "activity" },
    body: html`<div class="tools"><h1 class="grow">Contributors</h1>${activitySides(visit, access, "contributors")}</div>
      ${found?.isWhole === false && note(visit, "info", "The history is long: only its latest commits are counted.")}
      ${
        found === null || found.commits === 0
          ? empty(visit, "history", "No commits", "Nothing was pushed to the default branch yet.")
          : await charts(forge, visit, found)
      }`,
  };
}
