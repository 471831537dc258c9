import { deletePage } from "../../domain/repos/wiki/edit-page.ts";
import { getPage } from "../../domain/repos/wiki/read-pages.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { wikiLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";
import { openWikiAt, wikiFormLink, wikiPageLink, writesWiki } from "./open.ts";

/** The page that asks before a page of a wiki is deleted, and what it does. */
export function wikiDeletePages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/wiki/_delete/*", writesWiki, async ({ visit, repository: access }) => {
      const { opened } = await openWikiAt(forge, access);
      const { title, path } = getPage(opened, visit.params["*"] ?? "");
      return {
        title: `Delete ${title} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "wiki", width: "narrow" },
        body: html`<h1 dir="auto">Delete the page ${title}?</h1><p>Its history stays, and its text can be brought back from there.</p>
          <form class="line flow" method="post" action="${wikiPageLink(visit.root, access, "_delete", path)}">${visit.formField()}<button class="button danger">Delete the page</button><a class="button" href="${wikiLink(visit.root, access, path)}">Cancel</a></form>`,
      };
    }),
    page("POST", "/:owner/:repo/wiki/_delete/*", writesWiki, async ({ visit, doer, repository: access }) => {
      await deletePage(forge, doer, access, visit.params["*"] ?? "");
      return new Redirect(wikiFormLink(visit.root, access, "_pages"), "The page is deleted");
    }),
  ];
}
