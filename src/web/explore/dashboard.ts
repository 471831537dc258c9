import type { Actor } from "../../auth/subject.ts";
import type { StatusState } from "../../db/schema/statuses.ts";
import { findCombinedStates } from "../../domain/repos/statuses/queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listFollowedDeeds, listOpenEnds, type PushedBranch } from "../../domain/work/activities/home-queries.ts";
import { countContributions } from "../../domain/work/activities/queries.ts";
import type { IssueFilter } from "../../domain/work/issues/list-filter.ts";
import { findHomes, listIssues } from "../../domain/work/issues/list-queries.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { listSavedSearches } from "../../domain/work/issues/saved-search-queries.ts";
import { listPullDetails, type PullDetails } from "../../domain/work/pulls/detail-queries.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import { html, type Html } from "../html.ts";
import { compareLink, repositoryLink, sourceLink, issueLink } from "../links.ts";
import { avatar } from "../parts/avatar.ts";
import { checkMark } from "../parts/check-mark.ts";
import { deedList } from "../parts/deed.ts";
import { heatmap, yearBefore } from "../parts/heatmap.ts";
import { icon } from "../parts/icon.ts";
import { stateIcon } from "../parts/issue-state.ts";
import { empty } from "../parts/note.ts";
import { lineCounts } from "../parts/line-counts.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { searchLink } from "../issues/searches.ts";
import { loadDeeds } from "./load-deeds.ts";

const fewIssues = { size: 8, offset: 0 };
const fewRepositories = { size: 8, offset: 0 };
const mostBranches = 5;
const mostDeeds = 15;

/** Something that waits for the visitor, or that they wait for. */
interface Waiting {
  readonly issue: IssueRow;
  readonly why: Html;
}

/** What is known of the listed issues and pull requests. */
interface Known {
  readonly homes: Awaited<ReturnType<typeof findHomes>>;
  readonly pulls: Map<number, PullDetails>;
  readonly states: Map<string, StatusState>;
}

/** What stands in the way of a pull request, or that nothing does. */
function stateOf(isDraft: boolean, { mergeability }: PullDetails, checks: StatusState | undefined): Html {
  if (isDraft) {
    return html`Draft`;
  }
  if (mergeability === "conflict") {
    return html`<span class="red">Conflicts with its base</span>`;
  }
  if (checks === "failure" || checks === "error") {
    return html`<span class="red">A check failed</span>`;
  }
  if (checks === "pending") {
    return html`<span class="amber">Checks are running</span>`;
  }
  return mergeability === "mergeable" ? html`<span class="green">Can be merged</span>` : html`Open`;
}

function branches(visit: Visit, list: readonly PushedBranch[]): Html | null {
  return list.length === 0
    ? null
    : html`<section><h2>Go on with</h2><ul class="facts">${list.map(({ access, branch, at }) => {
        const { owner, repository } = access;
        const href = sourceLink(visit.root, access, { kind: "branch", name: branch }, "");
        return html`<li class="split"><span class="line" title="${owner.name}/${repository.name}">${icon(visit, "git-branch")}<span class="cut"><a class="plain" href="${href}"><bdi>${branch}</bdi></a> <span class="faint small">${ago(visit, at)}</span></span></span><a class="whole" href="${compareLink(visit.root, access, repository.defaultBranch, branch)}">Compare<span class="sr"> ${branch} of ${owner.name}/${repository.name}</span></a></li>`;
      })}</ul></section>`;
}

/** The page of the signed-in: what waits for them, what they go on with, and what happened where they watch. */
export function prepareDashboard(forge: Forge): (visit: Visit, actor: Actor) => Promise<Page> {
  const { db } = forge.database;
  const prefixes = forge.config.pulls.draft_prefixes;

  const openOnes = (visit: Visit, filter: Omit<IssueFilter, "states">) =>
    listIssues(db, visit, { repositoryId: null }, { ...filter, states: [true] }, "recentupdate", fewIssues);

  async function know(issues: readonly IssueRow[]): Promise<Known> {
    const pullIds = issues.flatMap(({ id, isPull }) => (isPull ? [id] : []));
    const [homes, pulls] = await Promise.all([
      findHomes(
        db,
        issues.map(({ repositoryId }) => repositoryId),
      ),
      listPullDetails(db, pullIds),
    ]);
    const heads = Map.groupBy([...pulls.values()], ({ baseRepositoryId }) => baseRepositoryId);
    const states = await Promise.all(
      [...heads].map(([repositoryId, list]) =>
        findCombinedStates(
          db,
          repositoryId,
          list.map(({ headOid }) => headOid),
        ),
      ),
    );
    return { homes, pulls, states: new Map(states.flatMap((found) => Array.from(found))) };
  }

  function row(visit: Visit, { issue, why }: Waiting, { homes, pulls, states }: Known): Html | null {
    const home = homes.get(issue.repositoryId);
    if (home === undefined) {
      return null;
    }
    const base = repositoryLink(visit.root, home);
    const href = issueLink(visit.root, home, issue);
    const isDraft = issue.isPull && isDraftTitle(issue.title, prefixes);
    const state = { isPull: issue.isPull, isClosed: false, isMerged: false, isDraft };
    const pull = pulls.get(issue.id);
    const changes =
      pull &&
      html`<span class="not-narrow">${lineCounts(pull.additions, pull.deletions)}</span>${checkMark(visit, states.get(pull.headOid), `${href}/checks`)}`;
    return html`<li>${stateIcon(visit, state)}<div class="grow"><a class="plain" href="${href}"><b dir="auto">${issue.title}</b></a><div class="meta"><span><a class="plain" href="${base}">${home.owner.name}/${home.repository.name}</a> #${issue.number}</span><span>${why}</span>${issue.dueAt !== null && html`<span><span class="${issue.dueAt.getTime() < visit.now ? "red" : "amber"}">due ${ago(visit, issue.dueAt)}</span></span>`}<span>${ago(visit, issue.updatedAt)}</span></div></div>${changes}</li>`;
  }

  function panel(visit: Visit, title: string, id: string, list: readonly Waiting[], total: number, known: Known): Html {
    const more = total - list.length;
    return html`<section aria-labelledby="${id}"><h2 class="large" id="${id}">${title} <span class="count">${wholeNumber(total)}</span></h2><div class="panel edge"><ul class="rows links">${list.map((one) => row(visit, one, known))}</ul>${more > 0 && html`<footer class="soft">and ${wholeNumber(more)} more</footer>`}</div></section>`;
  }

  return async (visit, actor) => {
    const viewer = { actor, credential: visit.credential };
    const assigned = { assigneeId: actor.id };
    const [reviews, mine, toDo, repositories, ends, deeds, year, searches] = await Promise.all([
      openOnes(visit, { kinds: [true], reviewRequestedId: actor.id }),
      openOnes(visit, { kinds: [true], authorId: actor.id }),
      openOnes(visit, { kinds: [false, true], ...assigned }),
      listRepositories(db, visit, { participantId: actor.id }, { by: "updated", descending: true }, fewRepositories),
      listOpenEnds(db, viewer, mostBranches),
      listFollowedDeeds(db, viewer, mostDeeds),
      countContributions(db, visit, actor.id, yearBefore(visit.now)),
      listSavedSearches(db, visit, actor.id, null),
    ]);
    const reviewIds = new Set(reviews.rows.map(({ id }) => id));
    const others = toDo.rows.filter(({ id }) => !reviewIds.has(id));
    const [known, shownDeeds] = await Promise.all([
      know([...reviews.rows, ...mine.rows, ...others]),
      loadDeeds(forge, visit, deeds, visit.request.signal),
    ]);
    const waiting = [
      ...reviews.rows.map((issue) => ({ issue, why: html`<span class="accent">Your review is asked for</span>` })),
      ...others.map((issue) => ({ issue, why: html`Assigned to you` })),
    ];
    const own = mine.rows.flatMap((issue): Waiting[] => {
      const pull = known.pulls.get(issue.id);
      return pull === undefined
        ? []
        : [{ issue, why: stateOf(isDraftTitle(issue.title, prefixes), pull, known.states.get(pull.headOid)) }];
    });
    const waitingTotal = reviews.total + toDo.total - (toDo.rows.length - others.length);
    const rows = repositories.rows.map(
      (access) =>
        html`<a href="${repositoryLink(visit.root, access)}">${avatar(visit, access.owner)}<span class="cut grow">${access.owner.name}/<b>${access.repository.name}</b></span>${access.counts.openPulls > 0 && html`<span class="count">${wholeNumber(access.counts.openPulls)}<span class="sr"> open pull requests</span></span>`}</a>`,
    );
    return {
      title: "Home",
      place: { crumbs: [{ name: "Home", href: `${visit.root}/` }] },
      body: html`<h1 class="sr">Home</h1><div class="columns"><div class="stack l">
        ${
          waiting.length > 0
            ? panel(visit, "Waiting for you", "waiting", waiting, waitingTotal, known)
            : html`<section aria-labelledby="waiting"><h2 class="large" id="waiting">Waiting for you</h2><p class="soft">Nothing waits for you.</p></section>`
        }
        ${own.length > 0 && panel(visit, "Your pull requests", "own", own, mine.total, known)}
        <section aria-labelledby="activity"><h2 class="large" id="activity">Activity</h2>${shownDeeds.length > 0 ? deedList(visit, shownDeeds) : empty(visit, "eye", "Nothing yet", html`Watch repositories and follow people to see here what they do. <a href="${visit.root}/explore/repos">Explore</a>`)}</section>
        <section aria-labelledby="year"><h2 class="large" id="year">Your year</h2>${heatmap(visit, year)}</section></div>
        <aside class="side" aria-label="Your work">${branches(visit, ends)}
        <section><h2>Your work</h2><div class="nav"><a href="${visit.root}/issues">${icon(visit, "circle-dot")}Issues</a><a href="${visit.root}/pulls">${icon(visit, "git-pull-request")}Pull requests</a><a href="${visit.root}/milestones">${icon(visit, "milestone")}Milestones</a>${searches.map((one) => searchLink(visit, one))}</div></section>
        <section><div class="split"><h2>Repositories</h2><a class="button s" href="${visit.root}/repo/create">${icon(visit, "plus")}New<span class="sr"> repository</span></a></div>
        <form class="seek" role="search" aria-label="Repositories" action="${visit.root}/explore/repos">${icon(visit, "search")}<input type="search" name="q" aria-label="Find a repository" placeholder="Find a repository"></form>
        ${rows.length === 0 ? html`<p class="soft">You have no repositories yet.</p>` : html`<div class="nav">${rows}</div>`}<p><a class="plain soft" href="${visit.root}/explore/repos">Explore all repositories</a></p></section></aside></div>`,
    };
  };
}
