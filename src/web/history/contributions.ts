import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import { prepareReadContributions } from "../../domain/git/commits/contributions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { ContributionsResult, Contributor } from "../../git/operations/contributions.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";
import { wholeNumber } from "../parts/size.ts";
import { dayOf } from "../parts/time.ts";
import type { Visit } from "../visit.ts";

/** Bars of a chart whose numbers are listed one by one. */
const mostNumbers = 60;

/** Commits of the same user under several addresses are one contributor's. */
interface Person extends Contributor {
  readonly user: OwnerRow | null;
}

export type ReadContributions = (
  visit: Visit,
  access: RepositoryAccess,
  period: { readonly since: number | null; readonly bucketSeconds: number },
) => Promise<ContributionsResult | null>;

/** Prepares to count the commits of the default branch; null for a repository without any, and for those who may not read its code. */
export function prepareContributions(forge: Forge): ReadContributions {
  const readContributions = prepareReadContributions(forge.git.engine);
  return async (visit, access, period) => {
    const revision =
      access.repository.empty || !reads(visit, "code") ? null : await forge.git.revisions.find(access.repository);
    return revision === null ? null : readContributions(revision, period, visit.request.signal);
  };
}

/** Those who made the commits, who made most first. */
export async function contributingPeople(
  { findUsersByEmail }: Forge,
  visit: Visit,
  { contributors }: ContributionsResult,
): Promise<Person[]> {
  const users = await findUsersByEmail(
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

/** The links between the pages of a repository's activity. */
export function activitySides(visit: Visit, access: RepositoryAccess, current: "pulse" | "contributors"): Html {
  const base = `${repositoryLink(visit.root, access)}/activity`;
  const link = (key: string, name: string, href: string) =>
    html`<a href="${href}"${key === current ? html` aria-current="page"` : null}>${name}</a>`;
  return html`<nav class="segments" aria-label="Activity">${link("pulse", "Pulse", base)}${link("contributors", "Contributors", `${base}/contributors`)}</nav>`;
}

/** What the bars of a chart say, for those who do not see them; of many bars, by the year. */
export function chartNumbers(visit: Visit, { buckets }: ContributionsResult, bucketSeconds: number): Html {
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
