import type { OwnerRow } from "../../auth/subject.ts";
import { listOrganizations } from "../../domain/identity/orgs/queries.ts";
import { isBlockedBy, isFollowing, listRelatedUsers } from "../../domain/identity/social/queries.ts";
import type { RepositoryFilter, RepositoryOrder } from "../../domain/repos/list-filter.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { SignInRequired } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { countContributions, listDeeds } from "../../domain/work/activities/queries.ts";
import { loadDeeds } from "../explore/load-deeds.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, packageLink } from "../links.ts";
import { avatar } from "../parts/avatar.ts";
import { deedList } from "../parts/deed.ts";
import { heatmap, yearBefore } from "../parts/heatmap.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, openPager, sliceOf } from "../parts/pager.ts";
import { peopleList } from "../parts/people.ts";
import { repositoryList } from "../parts/repositories.ts";
import { repositorySearch, repositorySearchForm } from "../parts/repository-search.ts";
import type { Tab } from "../parts/tabs.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { ownerHead } from "./head.ts";
import { profileReadme } from "./profile-readme.ts";

const fewRepositories = { size: 6, offset: 0 };
const fewOrganizations = { size: 24, offset: 0 };
const deedsPerPage = 20;
const newest = { by: "id", descending: true } as const;

interface Side extends Omit<Tab, "href"> {
  /** Like the API, these are for the signed-in; "own": for the user alone. */
  readonly for: "everybody" | "signed-in" | "own";
}

/** The sides of a user, by `?tab=`; the first has none. */
function sidesOf({ followers, following, starred }: OwnerRow): readonly Side[] {
  return [
    { key: "overview", name: "Overview", for: "everybody" },
    { key: "repositories", name: "Repositories", for: "everybody" },
    { key: "packages", name: "Packages", for: "everybody" },
    { key: "activity", name: "Activity", for: "everybody" },
    { key: "stars", name: "Stars", count: starred, for: "signed-in" },
    { key: "watching", name: "Watched", for: "own" },
    { key: "followers", name: "Followers", count: followers, for: "signed-in" },
    { key: "following", name: "Following", count: following, for: "signed-in" },
  ];
}

function tabOf({ key, name, count }: Side, root: string, user: OwnerRow): Tab {
  const address = ownerLink(root, user.name);
  const below = key === "overview" ? address : `${address}?tab=${key}`;
  const href = key === "packages" ? packageLink(root, user.name) : below;
  return count === undefined ? { key, name, href } : { key, name, href, count };
}

function sidesFor({ actor }: Visit, user: OwnerRow): readonly Side[] {
  return sidesOf(user).filter((side) => side.for !== "own" || actor?.id === user.id);
}

/** Where a page of a user stands: among their sides. */
export function userPlace(visit: Visit, user: OwnerRow, tab: string): Place {
  const shown = sidesFor(visit, user).filter((side) => side.for === "everybody" || visit.actor !== null);
  return { tab, tabs: { label: user.name, list: shown.map((side) => tabOf(side, visit.root, user)) } };
}

/** A button that does one thing of `POST /:owner`. */
function deedButton(visit: Visit, address: string, action: string, words: string, classes = ""): Html {
  return html`<form method="post" action="${address}">${visit.formField()}<input type="hidden" name="action" value="${action}"><button class="button${classes}">${words}</button></form>`;
}

/** The page of a user: who they are, and what they have and do. */
export function prepareUserPage(forge: Forge): (visit: Visit, user: OwnerRow) => Promise<Page> {
  const { db } = forge.database;

  async function buttons(visit: Visit, user: OwnerRow): Promise<Html | null> {
    const { actor } = visit;
    const address = ownerLink(visit.root, user.name);
    if (actor === null) {
      return null;
    }
    if (actor.id === user.id) {
      return html`<a class="button" href="${visit.root}/user/settings">${icon(visit, "settings")}Settings</a>`;
    }
    const [follows, blocks] = await Promise.all([
      isFollowing(db, actor.id, user.id),
      isBlockedBy(db, user.id, actor.id),
    ]);
    const follow = follows
      ? deedButton(visit, address, "unfollow", "Unfollow", " on")
      : blocks
        ? null
        : deedButton(visit, address, "follow", "Follow");
    return html`${follow}${blocks ? deedButton(visit, address, "unblock", "Unblock") : deedButton(visit, address, "block", "Block", " danger")}`;
  }

  async function overview(visit: Visit, user: OwnerRow): Promise<Html> {
    const { actor } = visit;
    const address = ownerLink(visit.root, user.name);
    const [about, recent, year, organizations] = await Promise.all([
      profileReadme(forge, visit, user),
      listRepositories(db, visit, { ownerId: user.id }, { by: "updated", descending: true }, fewRepositories),
      countContributions(db, visit, user.id, yearBefore(visit.now)),
      actor === null ? null : listOrganizations(db, visit, { memberId: user.id }, fewOrganizations),
    ]);
    const groups =
      organizations !== null &&
      organizations.rows.length > 0 &&
      html`<section><h2>Organizations</h2><div class="nav">${organizations.rows.map((one) => html`<a href="${ownerLink(visit.root, one.name)}">${avatar(visit, one)}<span class="cut">${one.name}</span></a>`)}</div></section>`;
    return html`<div class="columns"><div class="stack l">${about}
      <section aria-labelledby="recent"><div class="split head-line"><h2 class="large" id="recent">Recent repositories</h2>${recent.total > recent.rows.length && html`<a href="${address}?tab=repositories">All ${recent.total}</a>`}</div>${repositoryList(visit, recent.rows, false)}</section>
      <section aria-labelledby="year"><h2 class="large" id="year">Activity</h2>${heatmap(visit, year)}</section></div>
      <aside class="side" aria-label="About ${user.name}">${groups}<section><h2>Public keys</h2><ul class="facts"><li>${icon(visit, "key")}<a rel="nofollow" href="${address}.keys">SSH keys</a></li><li>${icon(visit, "shield-check")}<a rel="nofollow" href="${address}.gpg">OpenPGP keys</a></li></ul></section></aside></div>`;
  }

  async function repositories(visit: Visit, user: OwnerRow, tab: string): Promise<Html> {
    const at = sliceOf(visit.query);
    const { filter, order } = repositorySearch(visit.query);
    const address = ownerLink(visit.root, user.name);
    const whose: [RepositoryFilter, RepositoryOrder] =
      tab === "repositories"
        ? [{ ownerId: user.id }, order]
        : [tab === "stars" ? { starredBy: user.id } : { watchedBy: user.id }, visit.query.has("sort") ? order : newest];
    const { rows, total } = await listRepositories(db, visit, { ...filter, ...whose[0] }, whose[1], at);
    return html`${repositorySearchForm(visit, address, visit.query, ["tab"])}${repositoryList(visit, rows, tab !== "repositories")}${pager(visit, address, visit.query, at, total)}`;
  }

  async function people(visit: Visit, user: OwnerRow, tab: "followers" | "following"): Promise<Html> {
    const at = sliceOf(visit.query);
    const { rows, total } = await listRelatedUsers(db, visit, tab, user.id, at);
    const none =
      tab === "followers"
        ? `Nobody whom you can see follows ${user.name}.`
        : `${user.name} follows nobody whom you can see.`;
    return html`${peopleList(visit, rows, none)}${pager(visit, ownerLink(visit.root, user.name), visit.query, at, total)}`;
  }

  async function activity(visit: Visit, user: OwnerRow): Promise<Html> {
    const at = sliceOf(visit.query, deedsPerPage);
    const feed = { kind: "user", userId: user.id, watched: false } as const;
    const [found, year] = await Promise.all([
      listDeeds(db, visit, feed, null, { size: at.size + 1, offset: at.offset }),
      countContributions(db, visit, user.id, yearBefore(visit.now)),
    ]);
    const shown = await loadDeeds(forge, visit, found.slice(0, at.size), visit.request.signal);
    const list =
      shown.length > 0
        ? deedList(visit, shown)
        : empty(visit, "history", "Nothing to see", `${user.name} did nothing here that you can see.`);
    return html`<div class="stack l">${heatmap(visit, year)}<div>${list}${openPager(visit, ownerLink(visit.root, user.name), visit.query, at, found.length > at.size)}</div></div>`;
  }

  function sideOf(visit: Visit, user: OwnerRow, tab: string): Promise<Html> {
    switch (tab) {
      case "repositories":
      case "stars":
      case "watching":
        return repositories(visit, user, tab);
      case "followers":
      case "following":
        return people(visit, user, tab);
      case "activity":
        return activity(visit, user);
      default:
        return overview(visit, user);
    }
  }

  return async (visit, user) => {
    const { actor } = visit;
    const side = sidesFor(visit, user).find(({ key }) => key === visit.query.get("tab"));
    if (side?.for === "signed-in" && actor === null) {
      throw new SignInRequired();
    }
    const tab = side?.key ?? "overview";
    const [beside, content] = await Promise.all([buttons(visit, user), sideOf(visit, user, tab)]);
    return {
      title: side === undefined || tab === "overview" ? user.name : `${side.name} of ${user.name}`,
      place: userPlace(visit, user, tab),
      head: { feeds: [{ address: ownerLink(visit.root, user.name), title: user.name }] },
      body: html`${ownerHead(visit, user, beside)}${content}`,
    };
  };
}
