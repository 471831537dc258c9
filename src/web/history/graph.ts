import type { RepositoryAccess } from "../../auth/subject.ts";
import { everyRef, type RefFilter } from "../../domain/git/refs/refs-by-date.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { DrawnCommit } from "../../git/operations/draw-history.ts";
import type { Ref } from "../../git/refs/ref.ts";
import { html, type Html } from "../html.ts";
import { commitLink, repositoryLink, sourceLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { openPager, sliceOf } from "../parts/pager.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { commitTitle } from "../repos/commit-title.ts";
import type { Visit } from "../visit.ts";
import { laneDrawing } from "./lane-drawing.ts";
import { historyNav } from "./side-nav.ts";

const pageSize = 60;
/** To place a commit, all before it are placed. */
const lastPage = 300;
/** Branches that are drawn if none is chosen: those that changed last. */
const mostDrawn = 20;
/** Branches that the field offers. */
const offered = 200;
/** Names that a row shows. */
const mostNames = 3;

function nameTag(visit: Visit, access: RepositoryAccess, fullName: string): Html {
  const isBranch = fullName.startsWith("refs/heads/");
  const name = fullName.slice(isBranch ? "refs/heads/".length : "refs/tags/".length);
  const href = sourceLink(visit.root, access, { kind: isBranch ? "branch" : "tag", name }, "");
  return html`<a class="${isBranch ? "ref" : "tag"}" href="${href}">${!isBranch && icon(visit, "tag")}${name}</a>`;
}

function row(visit: Visit, access: RepositoryAccess, { commit }: DrawnCommit, names: readonly string[]): Html {
  const { oid, message, author, committer, parents } = commit;
  const link = commitLink(visit.root, access, oid);
  const merge = parents.length > 1 ? html`<span class="sr">merge of ${parents.length} </span>` : null;
  return html`<li>${merge}${names.slice(0, mostNames).map((name) => nameTag(visit, access, name))}${names.length > mostNames && html`<span class="faint small">+${names.length - mostNames}</span>`}
    <a class="plain cut grow" href="${link}" dir="auto">${commitTitle(message)}</a><span class="soft small cut not-narrow">${author.name}</span>
    <span class="soft small not-narrow">${ago(visit, new Date(committer.seconds * 1000))}</span><a class="oid" href="${link}">${oid.slice(0, 10)}</a></li>`;
}

function filter(
  visit: Visit,
  address: string,
  chosen: readonly string[],
  names: readonly string[],
  missing: readonly string[],
): Html {
  const chips = chosen.map((name) => {
    const rest = chosen.filter((one) => one !== name).map((one): [string, string] => ["branch", one]);
    const query = rest.length === 0 ? "" : `?${new URLSearchParams(rest).toString()}`;
    return html`<a class="tag" href="${address}${query}" aria-label="Without ${name}">${name}${icon(visit, "x")}</a>`;
  });
  const options = names.map((name) => html`<option value="${name}"></option>`);
  const kept = chosen.map((name) => html`<input type="hidden" name="branch" value="${name}">`);
  return html`<form class="tools" action="${address}">${chips}<div class="seek">${icon(visit, "git-branch")}<input class="auto" name="branch" list="branches" maxlength="255" aria-label="Show only this branch" placeholder="${chosen.length === 0 ? "Only this branch" : "And this branch"}" autocomplete="off"></div><datalist id="branches">${options}</datalist>${kept}<button class="button">Show</button></form>
    ${missing.length > 0 && note(visit, "warn", `There is no branch called ${missing.join(", ")}.`)}`;
}

/** The branches of a repository, drawn as lanes beside the list of their commits. */
export function graphPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const listBranches = (access: RepositoryAccess, filter: RefFilter, size: number) =>
    forge.git.refsByDate.page(access.repository, "refs/heads/", filter, { size, offset: 0 });

  /** The names of branches and tags by the commits that they are at. */
  async function namesAt({ repository }: RepositoryAccess, rows: readonly DrawnCommit[]) {
    const wanted = new Set(rows.map(({ commit }) => commit.oid));
    const { refs } = await forge.git.revisions.list(repository);
    const isShown = ({ name, oid, peeled }: Ref) => wanted.has(peeled ?? oid) && /^refs\/(heads|tags)\//.test(name);
    return Map.groupBy(refs.filter(isShown), ({ oid, peeled }) => peeled ?? oid);
  }

  return [
    page("GET", "/:owner/:repo/graph", { ...readsCode, past: true }, async ({ visit, repository: access }) => {
      const { query, root } = visit;
      const asked = sliceOf(query, pageSize);
      const at = asked.number > lastPage ? sliceOf(new URLSearchParams(), pageSize) : asked;
      const chosen = [...new Set(query.getAll("branch").filter((name) => name !== ""))].slice(0, mostDrawn);
      const wanted = new Set(chosen.map((name) => `refs/heads/${name}`));
      const [known, drawn] = await Promise.all([
        listBranches(access, everyRef, offered),
        listBranches(access, chosen.length === 0 ? everyRef : { ...everyRef, names: wanted }, mostDrawn),
      ]);
      const shortNames = new Set(drawn.rows.map(({ name }) => name.slice("refs/heads/".length)));
      const missing = chosen.filter((name) => !shortNames.has(name));
      const { rows, hasMore } =
        drawn.rows.length === 0
          ? { rows: [], hasMore: false }
          : await forge.git.engine.call(
              drawn.view,
              "drawHistory",
              { tips: [...new Set(drawn.rows.map(({ oid }) => oid))], skip: at.offset, limit: at.size },
              visit.request.signal,
            );
      const names = await namesAt(access, rows);
      const items = rows.map((one) =>
        row(
          visit,
          access,
          one,
          (names.get(one.commit.oid) ?? []).map(({ name }) => name),
        ),
      );
      const address = `${repositoryLink(root, access)}/graph`;
      const few =
        chosen.length === 0 && known.total > mostDrawn
          ? html`<p class="soft small">The default branch and those that changed last, ${drawn.rows.length} of ${wholeNumber(known.total)}.</p>`
          : null;
      return {
        title: `Graph · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code" },
        body: html`<div class="tools"><h1 class="grow">Graph</h1>${historyNav(visit, access, "graph")}</div>
            ${filter(
              visit,
              address,
              chosen,
              known.rows.map(({ name }) => name.slice("refs/heads/".length)),
              missing,
            )}${few}
            ${rows.length === 0 ? empty(visit, "git-branch", "No commits", "Push a branch to see it here.") : html`<div class="panel edge drawing">${laneDrawing(rows)}<ol>${items}</ol></div>`}
            ${openPager(visit, address, query, at, hasMore && at.number < lastPage)}`,
      };
    }),
  ];
}
