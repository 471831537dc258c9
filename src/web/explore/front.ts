import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { open, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { repositoryList } from "../parts/repositories.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { prepareDashboard } from "./dashboard.ts";

const few = { size: 10, offset: 0 };

/** The front page: for strangers what this server is and has, for the signed-in what waits for them. */
export function frontPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  const dashboard = prepareDashboard(forge);

  async function welcome(visit: Visit): Promise<Page> {
    const { rows, total } = await listRepositories(db, visit, {}, { by: "updated", descending: true }, few);
    const host = new URL(forge.addresses.base).host;
    return {
      title: host,
      place: { crumbs: [] },
      body: html`<div class="welcome"><h1>${host}</h1>
        <p>This is a Stithy server: a home for git repositories, with issues, pull requests, releases, wikis and packages.</p>
        <p class="line flow"><a class="button main" href="${visit.root}/user/login">Sign in</a><a class="button" href="${visit.root}/explore/repos">${icon(visit, "search")}Explore</a></p>
        <p class="soft small">Accounts are made by the administrator of this server.</p></div>
        <section aria-labelledby="public"><div class="split head-line"><h2 id="public">Public repositories <span class="count">${wholeNumber(total)}</span></h2>${total > rows.length && html`<a href="${visit.root}/explore/repos">All of them</a>`}</div>
        ${repositoryList(visit, rows, true)}</section>`,
    };
  }

  return [page("GET", "/", open, ({ visit, actor }) => (actor === null ? welcome(visit) : dashboard(visit, actor)))];
}
