import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { RefPage, Revision } from "../../domain/git/refs/revisions.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink, type SourceView } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";

const shownRefs = { size: 20, offset: 0 };

/** The first branches and tags of a repository, and how many there are. */
export interface FewRefs {
  readonly branches: RefPage;
  readonly tags: RefPage;
}

export async function readFewRefs({ git }: Forge, { repository }: RepositoryAccess): Promise<FewRefs> {
  const [branches, tags] = await Promise.all([
    git.revisions.page(repository, "refs/heads/", shownRefs),
    git.revisions.page(repository, "refs/tags/", shownRefs),
  ]);
  return { branches, tags };
}

function rest(address: string, { total, rows }: RefPage, what: string): Html | null {
  return total > rows.length
    ? html`<a href="${address}">and ${wholeNumber(total - rows.length)} more ${what}</a>`
    : null;
}

/** A button with the branch, tag or commit that is shown, which opens a list of the others. They lead to the same path. */
export function refMenu(
  reader: Reader,
  access: RepositoryAccess,
  revision: Pick<Revision, "kind" | "name">,
  path: string,
  { branches, tags }: FewRefs,
  view: SourceView = "src",
): Html {
  const base = repositoryLink(reader.root, access);
  const item = (kind: "branch" | "tag", prefix: string, fullName: string) => {
    const name = fullName.slice(prefix.length);
    const isShown = revision.kind === kind && revision.name === name;
    return html`<a href="${sourceLink(reader.root, access, { kind, name }, path, view)}"${isShown ? html` aria-current="true"` : null}>${icon(reader, isShown ? "check" : kind === "branch" ? "git-branch" : "tag")}<span class="cut">${name}</span></a>`;
  };
  const shownName = revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name;
  const sign = revision.kind === "branch" ? "git-branch" : revision.kind === "tag" ? "tag" : "git-commit-horizontal";
  return html`<button type="button" class="button" popovertarget="ref-menu" aria-label="${revision.kind} ${shownName}: choose another">${icon(reader, sign)}<span class="cut">${shownName}</span>${icon(reader, "chevron-down")}</button>
<div class="menu start" id="ref-menu" popover>${branches.rows.map(({ name }) => item("branch", "refs/heads/", name))}${rest(`${base}/branches`, branches, "branches")}
${tags.rows.length > 0 && html`<hr>${tags.rows.map(({ name }) => item("tag", "refs/tags/", name))}${rest(`${base}/tags`, tags, "tags")}`}</div>`;
}
