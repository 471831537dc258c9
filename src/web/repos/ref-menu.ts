import type { RepositoryAccess } from "../../auth/subject.ts";
import { everyRef } from "../../domain/git/refs/refs-by-date.ts";
import type { RefPage, Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink, type SourceView } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";
import { mayChange } from "./may-change.ts";

const shownRefs = { size: 12, offset: 0 };

/** The latest branches and tags of a repository, and how many there are. */
export interface FewRefs {
  readonly branches: RefPage;
  readonly tags: RefPage;
}

/** `words`: a part of their names. */
export async function readFewRefs({ git }: Forge, { repository }: RepositoryAccess, words = ""): Promise<FewRefs> {
  const filter = { ...everyRef, words };
  const [branches, tags] = await Promise.all([
    git.refsByDate.page(repository, "refs/heads/", filter, shownRefs),
    git.refsByDate.page(repository, "refs/tags/", filter, shownRefs),
  ]);
  return { branches, tags };
}

/** What the menu of branches and tags stands on. */
interface MenuPlace {
  readonly path: string;
  readonly view: SourceView;
  /** What is shown already. */
  readonly revision?: Pick<Revision, "kind" | "name">;
  /** What was searched for. */
  readonly words?: string;
}

function rest(address: string, { total, rows }: RefPage, what: string, words: string): Html | null {
  const query = words === "" ? "" : `?${new URLSearchParams({ q: words }).toString()}`;
  return total > rows.length
    ? html`<a href="${address}${query}">and ${wholeNumber(total - rows.length)} more ${what}</a>`
    : null;
}

/** Links to branches and tags, to the same path in each. */
export function refLinks(visit: Visit, access: RepositoryAccess, { branches, tags }: FewRefs, place: MenuPlace): Html {
  const { path, view, revision, words = "" } = place;
  const base = repositoryLink(visit.root, access);
  const item = (kind: "branch" | "tag", prefix: string, fullName: string) => {
    const name = fullName.slice(prefix.length);
    const isShown = revision?.kind === kind && revision.name === name;
    return html`<a href="${sourceLink(visit.root, access, { kind, name }, path, view)}"${isShown ? html` aria-current="true"` : null}>${icon(visit, isShown ? "check" : kind === "branch" ? "git-branch" : "tag")}<span class="cut">${name}</span></a>`;
  };
  return html`${branches.rows.map(({ name }) => item("branch", "refs/heads/", name))}${rest(`${base}/branches`, branches, "branches", words)}
${tags.rows.length > 0 && html`<hr>${tags.rows.map(({ name }) => item("tag", "refs/tags/", name))}${rest(`${base}/tags`, tags, "tags", words)}`}${branches.total + tags.total === 0 && html`<p class="pad soft">No branch or tag is called like that.</p>`}`;
}

/** The form that searches branches and tags. Without script, it leads to a page with the same links (ref-search.ts). */
export function refForm(visit: Visit, access: RepositoryAccess, { path, view, words = "" }: MenuPlace): Html {
  return html`<form class="seek" role="search" aria-label="Branches and tags" action="${repositoryLink(visit.root, access)}/refs">${icon(visit, "search")}<input type="search" name="q" maxlength="255" value="${words}" aria-label="Find a branch or tag" placeholder="Find a branch or tag" autocomplete="off"><input type="hidden" name="view" value="${view}"><input type="hidden" name="path" value="${path}"></form>`;
}

/** A button with the branch, tag or commit that is shown, which opens a list of the others. */
export function refMenu(
  visit: Visit,
  access: RepositoryAccess,
  revision: Pick<Revision, "kind" | "name">,
  path: string,
  refs: FewRefs,
  view: SourceView = "src",
): Html {
  const place = { path, view, revision };
  const base = repositoryLink(visit.root, access);
  const shownName = revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name;
  const sign = revision.kind === "branch" ? "git-branch" : revision.kind === "tag" ? "tag" : "git-commit-horizontal";
  const creation = mayChange(visit, access)
    ? html`<hr><a href="${base}/branches/new?${new URLSearchParams({ from: revision.name }).toString()}">${icon(visit, "plus")}New branch from here</a>`
    : null;
  return html`<button type="button" class="button" popovertarget="ref-menu" aria-label="${revision.kind} ${shownName}: choose another">${icon(visit, sign)}<span class="cut">${shownName}</span>${icon(visit, "chevron-down")}</button>
<ref-search class="menu start" id="ref-menu" popover><div class="pad">${refForm(visit, access, place)}</div><div class="menu" data-refs>${refLinks(visit, access, refs, place)}</div>${creation}</ref-search>`;
}
