import { markPath } from "../assets/mark.ts";
import { html, type Html } from "../html.ts";
import { issueFormsLink, issueLink, ownerLink, repositoryLink } from "../links.ts";
import { durationInWords } from "../../lib/duration.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { tags } from "../parts/repositories.ts";
import { repositoryActions } from "../parts/repository-actions.ts";
import { shortNumber } from "../parts/size.ts";
import { tabs } from "../parts/tabs.ts";
import type { Visit } from "../visit.ts";
import type { Crumb, Place } from "./place.ts";
import type { Standing } from "./standing.ts";
import { repositoryTabs } from "./subject-tabs.ts";

const anvil = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${markPath}"/></svg>`;

/** The mark, which leads to the front page. */
export function brand(root: string): Html {
  return html`<a class="brand" href="${root}/" aria-label="Stithy, home">${anvil}</a>`;
}

/** The way to what the address names. */
function crumbsOf(visit: Visit): readonly Crumb[] {
  const { root, repository, owner } = visit;
  const named = repository?.owner ?? (owner?.visible === true ? owner.owner : null);
  if (named === null) {
    return [];
  }
  const first = { name: named.name, href: ownerLink(root, named.name) };
  return repository === null
    ? [first]
    : [first, { name: repository.repository.name, href: repositoryLink(root, repository) }];
}

function crumbs(visit: Visit, given: readonly Crumb[] | undefined): Html {
  const list = given ?? crumbsOf(visit);
  const items = list.map(
    ({ name, href }, index) =>
      html`<li><a class="cut" href="${href}"${index === list.length - 1 ? html` aria-current="location"` : null}>${name}</a></li>`,
  );
  const { repository } = visit;
  const about =
    repository === null || given !== undefined
      ? null
      : html`<li class="apart not-narrow">${tags(visit, repository)}</li>`;
  return html`<nav class="crumbs" aria-label="Place"><ol>${items}${about}</ol></nav>`;
}

function newMenu(visit: Visit): Html {
  return html`<button type="button" class="button bare icon not-narrow" popovertarget="new-menu" aria-label="New">${icon(visit, "plus")}</button>
<div class="menu" id="new-menu" popover><a href="${visit.root}/repo/create">${icon(visit, "book")}Repository</a></div>`;
}

/** Has signing in lead back to this page. The front page is another one then, and the pages of an account lead on by themselves. */
function wayBack({ here, root, request }: Visit): string {
  const isOwnWay = here === `${root}/` || here.startsWith(`${root}/user/`) || request.method === "POST";
  return isOwnWay ? "" : `?${new URLSearchParams({ redirect_to: here }).toString()}`;
}

/** The account's menu, with the form that signs out. */
function accountMenu(visit: Visit, signOut: Html): Html {
  const { actor, root } = visit;
  if (actor === null) {
    return html`<a class="button" rel="nofollow" href="${root}/user/login${wayBack(visit)}">Sign in</a>`;
  }
  const home = ownerLink(root, actor.name);
  return html`<button type="button" class="button bare icon" popovertarget="account-menu">${avatar(visit, actor, "me")}<span class="sr">${actor.name}, your account</span></button>
<div class="menu" id="account-menu" popover><div class="pad">${actor.fullName === "" ? html`<b>${actor.name}</b>` : html`<b>${actor.fullName}</b><br><span class="soft">${actor.name}</span>`}</div><hr>
<a href="${home}">${icon(visit, "user")}Profile</a><a href="${root}/issues">${icon(visit, "circle-dot")}Your issues</a><a href="${root}/pulls">${icon(visit, "git-pull-request")}Your pull requests</a><a href="${root}/user/settings">${icon(visit, "settings")}Settings<kbd>g s</kbd></a><a href="${root}/user/settings/appearance">${icon(visit, "sun")}Appearance</a>${actor.isAdmin && html`<a href="${root}/-/admin">${icon(visit, "hard-drive")}Administration</a>`}<hr>
<a href="#" data-keys hidden>${icon(visit, "keyboard")}Keyboard shortcuts<kbd>?</kbd></a><hr>
<form method="post" action="${root}/user/logout">${signOut}<button class="link">${icon(visit, "log-out")}Sign out</button></form></div>`;
}

function inbox(visit: Visit, unread: number): Html | null {
  return visit.actor === null
    ? null
    : html`<a class="button bare icon" id="inbox" href="${visit.root}/notifications">${icon(visit, "inbox")}<span class="badge" aria-hidden="true"${unread === 0 && html` hidden`}>${shortNumber(unread)}</span><span class="sr">Notifications${unread > 0 && `, ${unread} unread`}</span></a>`;
}

/** The stopwatch that runs: since when, on what, and what can be done with it. */
function watch(visit: Visit, stopwatch: Standing["stopwatch"]): Html | null {
  if (stopwatch === null) {
    return null;
  }
  const { issue, home, startedAt } = stopwatch;
  const seconds = Math.max(0, Math.floor((visit.now - startedAt.getTime()) / 1000));
  const address = issueFormsLink(visit.root, home, issue);
  return html`<button type="button" class="button bare s" popovertarget="stopwatch-menu">${icon(visit, "clock")}<span class="num">${durationInWords(seconds - (seconds > 60 ? seconds % 60 : 0))}</span><span class="sr">, your stopwatch</span></button>
<div class="menu" id="stopwatch-menu" popover><a href="${issueLink(visit.root, home, issue)}"><span class="cut" dir="auto">${issue.title}</span><span class="faint">${home.owner.name}/${home.repository.name}#${issue.number}</span></a><hr>${(["stop", "cancel"] as const).map((act) => html`<form method="post" action="${address}/stopwatch">${visit.formField()}<button class="link" name="do" value="${act}">${icon(visit, act === "stop" ? "clock" : "x")}${act === "stop" ? "Stop, and count the time" : "Throw the time away"}</button></form>`)}</div>`;
}

/** The top of every page: where it is, the search, the account, and the tabs of what it belongs to. */
export function topBar(visit: Visit, place: Place, { unread, marks, stopwatch }: Standing, signOut: Html): Html {
  const { root, repository } = visit;
  const current = place.tab ?? null;
  const sides =
    place.tabs === undefined
      ? repository &&
        html`${tabs("Repository", repositoryTabs(visit, repository), current)}${repositoryActions(visit, repository, marks)}`
      : place.tabs === "none"
        ? null
        : tabs(place.tabs.label, place.tabs.list, current);
  const bar = sides && html`<div class="bar"><div>${sides}</div></div>`;
  return html`<header><div class="top${bar === null ? "" : " tabbed"}"><div>
${brand(root)}
${crumbs(visit, place.crumbs)}
<form class="seek" role="search" aria-label="Everything" action="${root}/explore/repos">${icon(visit, "search")}<input name="q" type="search" aria-label="Search or jump to" placeholder="Search or jump to…" autocomplete="off"><kbd aria-hidden="true">/</kbd></form>
<nav class="line" aria-label="You">${watch(visit, stopwatch)}${visit.actor === null ? null : newMenu(visit)}${inbox(visit, unread)}${accountMenu(visit, signOut)}</nav>
</div></div>${bar}</header>`;
}
