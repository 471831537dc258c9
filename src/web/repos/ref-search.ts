import type { Forge } from "../../domain/spine/forge.ts";
import { html } from "../html.ts";
import type { SourceView } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { readFewRefs, refForm, refLinks } from "./ref-menu.ts";

const views: readonly SourceView[] = ["src", "commits", "blame", "find"];

/** The page of the menu of branches and tags: where it is searched without script, and what the script reads. */
export function refSearchPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/refs", readsCode, async ({ visit, repository: access }) => {
      const { query } = visit;
      const words = (query.get("q") ?? "").trim();
      const view = views.find((one) => one === query.get("view")) ?? "src";
      const place = { path: query.get("path") ?? "", view, words };
      return {
        title: `Branches and tags · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code", width: "narrow" },
        body: html`<h1>Branches and tags</h1>${refForm(visit, access, place)}
            <div class="panel menu" data-refs>${refLinks(visit, access, await readFewRefs(forge, access, words), place)}</div>`,
      };
    }),
  ];
}
