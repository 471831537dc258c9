import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import { checksLink, commitLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { getCommit } from "../repos/find-source.ts";
import { checkList } from "./check-list.ts";

/** What programs have reported about a commit. */
export function checkPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page(
      "GET",
      "/:owner/:repo/commit/:sha/checks",
      { ...readsCode, past: true },
      async ({ visit, repository: access }) => {
        const { view, commit: oid } = await getCommit(forge, access.repository, visit.params["sha"] ?? "");
        const commit = await forge.git.commits.get(view, oid);
        const link = commitLink(visit.root, access, oid);
        const list = await checkList(forge, visit, access, {
          oid,
          wanted: [],
          address: checksLink(visit.root, access, oid),
        });
        return {
          title: `Checks of ${oid.slice(0, 10)} · ${access.owner.name}/${access.repository.name}`,
          place: { tab: "code" },
          body: html`<div class="title"><h1>Checks</h1><p class="line"><a class="plain cut" dir="auto" href="${link}">${commitTitle(commit.message)}</a><span class="oid">${oid.slice(0, 10)}</span></p></div>${list}`,
        };
      },
    ),
  ];
}
