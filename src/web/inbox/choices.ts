import { editWatch, unwatchRepository } from "../../domain/identity/social/mark-repository.ts";
import { findWatchKinds } from "../../domain/identity/social/queries.ts";
import { findVisibleRepositories } from "../../domain/repos/forks/queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findHomes, listIssues } from "../../domain/work/issues/list-queries.ts";
import { changeSubscription } from "../../domain/work/issues/subscribe.ts";
import { html } from "../html.ts";
import { issueLink, repositoryLink } from "../links.ts";
import { ownAccount, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import { Redirect } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { inboxPlace } from "./inbox-place.ts";

const kinds = [
  { key: "issues", words: "Issues" },
  { key: "pulls", words: "Pull requests" },
  { key: "releases", words: "Releases" },
] as const;
const newest = { by: "id", descending: true } as const;

const subscriptions = ({ root }: Visit) => `${root}/notifications/subscriptions`;
const watching = ({ root }: Visit) => `${root}/notifications/watching`;

/** What a user chose to hear of, or not to: single issues and pull requests, and repositories. */
export function inboxChoicePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    page("GET", "/notifications/subscriptions", ownAccount, async ({ visit, actor }) => {
      const isMuted = visit.query.get("state") === "muted";
      const at = sliceOf(visit.query);
      const address = subscriptions(visit);
      const whose = isMuted ? { muterId: actor.id } : { subscriberId: actor.id };
      const filter = { kinds: [false, true], states: [true, false], ...whose };
      const { rows, total } = await listIssues(db, visit, { repositoryId: null }, filter, "recentupdate", at);
      const homes = await findHomes(
        db,
        rows.map(({ repositoryId }) => repositoryId),
      );
      const items = rows.map((row) => {
        const home = homes.get(row.repositoryId);
        return (
          home !== undefined &&
          html`<li><span class="${row.closedAt === null ? "green" : "soft"}">${icon(visit, row.isPull ? "git-pull-request" : "circle-dot")}</span><div class="grow"><a class="plain" href="${issueLink(visit.root, home, row)}"><b dir="auto">${row.title}</b></a><div class="meta"><span>${home.owner.name}/${home.repository.name} #${row.number}</span><span>${ago(visit, row.updatedAt)}</span></div></div>
            <form method="post" action="${address}">${visit.formField()}<input type="hidden" name="issue" value="${row.id}"><button class="button s" name="watching" value="${isMuted ? "1" : "0"}">${isMuted ? "Hear of it" : "Mute"}<span class="sr">: ${row.title}</span></button></form></li>`
        );
      });
      const link = (muted: boolean, words: string) =>
        html`<a href="${address}${muted ? "?state=muted" : ""}"${muted === isMuted && html` aria-current="page"`}>${words}</a>`;
      return {
        title: "Subscriptions",
        place: inboxPlace(visit, "subscriptions"),
        body: html`<div class="stack"><h1>Subscriptions</h1><section class="panel edge" aria-label="${wholeNumber(total)} subscriptions"><header><nav class="segments" aria-label="State">${link(false, "Subscribed")}${link(true, "Muted")}</nav></header>${items.length === 0 ? empty(visit, "bell", "Nothing here", isMuted ? "You muted no thread." : "Subscribe to issues and pull requests on their pages.") : html`<ul class="rows links">${items}</ul>`}</section>${pager(visit, address, visit.query, at, total)}</div>`,
      };
    }),
    page("POST", "/notifications/subscriptions", ownAccount, async ({ visit, doer, actor }) => {
      const { form } = visit;
      const id = readRowId(form.text("issue")) ?? 0;
      const isWatching = form.text("watching") === "1";
      await forge.change(doer, (work) => changeSubscription(work, actor.id, id, isWatching));
      return new Redirect(subscriptions(visit), isWatching ? "You hear of it again." : "You hear nothing more of it.");
    }),
    page("GET", "/notifications/watching", ownAccount, async ({ visit, actor }) => {
      const at = sliceOf(visit.query);
      const address = watching(visit);
      const { rows, total } = await listRepositories(db, visit, { watchedBy: actor.id }, newest, at);
      const chosen = await findWatchKinds(
        db,
        actor.id,
        rows.map(({ repository }) => repository.id),
      );
      const items = rows.map((access) => {
        const name = `${access.owner.name}/${access.repository.name}`;
        const own = chosen.get(access.repository.id);
        return html`<li><form class="line flow grow" method="post" action="${address}">${visit.formField()}<input type="hidden" name="repository" value="${access.repository.id}"><a class="plain grow" href="${repositoryLink(visit.root, access)}"><b>${name}</b></a>${kinds.map(({ key, words }) => html`<label class="line"><input type="checkbox" name="${key}" value="1"${own?.[key] === true && html` checked`}>${words}</label>`)}<button class="button s">Save<span class="sr"> for ${name}</span></button><button class="button s" name="unwatch" value="1">Unwatch<span class="sr"> ${name}</span></button></form></li>`;
      });
      return {
        title: "Watched repositories",
        place: inboxPlace(visit, "watching"),
        body: html`<div class="stack"><h1>Watched repositories</h1><p class="soft">What you hear of in each, here and by mail.</p><section class="panel edge" aria-label="${wholeNumber(total)} repositories">${items.length === 0 ? empty(visit, "eye", "You watch no repository", html`<a href="${visit.root}/explore/repos">Explore repositories</a>`) : html`<ul class="rows">${items}</ul>`}</section>${pager(visit, address, visit.query, at, total)}</div>`,
      };
    }),
    page("POST", "/notifications/watching", ownAccount, async ({ visit, doer, actor }) => {
      const { form } = visit;
      const id = readRowId(form.text("repository")) ?? 0;
      const access = (await findVisibleRepositories(db, visit, [id])).get(id);
      if (access === undefined) {
        throw new NotFound("watched repository", String(id));
      }
      const isOver = form.has("unwatch");
      const [issues, pulls, releases] = kinds.map(({ key }) => form.text(key) === "1") as [boolean, boolean, boolean];
      await forge.change(doer, (work) =>
        isOver ? unwatchRepository(work, actor, access) : editWatch(work, actor, access, { issues, pulls, releases }),
      );
      const name = `${access.owner.name}/${access.repository.name}`;
      return new Redirect(watching(visit), isOver ? `You no longer watch ${name}.` : `Saved for ${name}.`);
    }),
  ];
}
