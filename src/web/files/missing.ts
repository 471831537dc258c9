import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink, type SourceView } from "../links.ts";
import { nearNames } from "../near-names.ts";
import { icon } from "../parts/icon.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

/** So many paths of a commit are looked through for near ones. */
const searchedPaths = 5000;
/** The most UTF-16 code units that the page shows of a name. */
const shownName = 300;

const refKinds = { branch: "refs/heads/", tag: "refs/tags/" } as const;

interface Near {
  readonly name: string;
  readonly href: string;
}

function missingPage(visit: Visit, access: RepositoryAccess, title: string, why: Html, near: readonly Near[]): Page {
  const offered =
    near.length === 0
      ? null
      : html`<p>Did you mean one of these?</p><ul class="rows links panel near">${near.map(({ name, href }) => html`<li><a class="cut" href="${href}">${clip(name, shownName)}</a></li>`)}</ul>`;
  return {
    status: 404,
    title: `${title} · ${access.owner.name}/${access.repository.name}`,
    place: { tab: "code" },
    body: html`<div class="empty">${icon(visit, "search")}<h1>${title}</h1><p>${why}</p>${offered}</div>`,
  };
}

/** Splits `{name}/{path}` where the name has so many segments. */
function split(rest: string, depth: number): { name: string; path: string } {
  const segments = rest.split("/");
  return { name: segments.slice(0, depth).join("/"), path: segments.slice(depth).join("/") };
}

/**
 * The page for an address below `view` that leads to no branch, tag or commit: it names what is missing and offers refs with near names,
 * with the same path in them. `rest` is `branch/{name}/{path}` and the like.
 */
export async function missingRef(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  rest: string,
  view: SourceView = "src",
): Promise<Page> {
  const [kind = "", ...segments] = rest.split("/");
  const wanted = kind in refKinds ? segments.join("/") : rest;
  const base = repositoryLink(visit.root, access);
  if (kind === "commit") {
    const why = html`The repository has no commit <code>${clip(segments[0] ?? "", shownName)}</code> that one of its branches or tags reaches. <a href="${base}/commits/branch/${access.repository.defaultBranch}">See its commits.</a>`;
    return missingPage(visit, access, "There is no such commit", why, []);
  }
  const { refs } = await forge.git.revisions.list(access.repository);
  const asked: keyof typeof refKinds = kind === "tag" ? "tag" : "branch";
  const other: keyof typeof refKinds = asked === "tag" ? "branch" : "tag";
  const near = [asked, other].flatMap((of) => {
    const names = refs.flatMap(({ name }) => (name.startsWith(refKinds[of]) ? [name.slice(refKinds[of].length)] : []));
    // A name has as many segments of the address as it has itself.
    const byDepth = Map.groupBy(names, (name) => name.split("/").length);
    return [...byDepth].flatMap(([depth, ofDepth]) => {
      const { name, path } = split(wanted, depth);
      return nearNames(name, ofDepth, 3).map((found) => ({
        name: of === asked ? found : `${found} (${of})`,
        href: sourceLink(visit.root, access, { kind: of, name: found }, path, view),
      }));
    });
  });
  const why = html`The repository has no ${asked} <code>${clip(wanted, shownName)}</code>. See its <a href="${base}/branches">branches</a> and <a href="${base}/tags">tags</a>.`;
  return missingPage(visit, access, `There is no such ${asked}`, why, near.slice(0, 6));
}

/** The page for a path that a commit does not have: it offers near paths, and the history of this one. */
export async function missingPath(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  path: string,
  view: SourceView = "src",
): Promise<Page> {
  const wanted = {
    commit: revision.commit,
    path: "",
    recursive: true,
    lastCommits: false,
    skip: 0,
    limit: searchedPaths,
  };
  const tree = await forge.git.engine.call(revision.view, "listTree", wanted, visit.request.signal);
  const paths = (tree?.entries ?? []).map((entry) => entry.path);
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const called = paths.filter((each) => each.slice(each.lastIndexOf("/") + 1).toLowerCase() === name);
  const near = [...new Set([...nearNames(path, called, 4), ...nearNames(path, paths, 5)])].slice(0, 6);
  const where = revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name;
  const why = html`<code>${clip(path, shownName)}</code> is not in ${revision.kind} <b>${clip(where, shownName)}</b>. If it was there before, <a rel="nofollow" href="${sourceLink(visit.root, access, revision, path, "commits")}">its history</a> says what became of it.`;
  return missingPage(
    visit,
    access,
    "There is no such file",
    why,
    near.map((each) => ({ name: each, href: sourceLink(visit.root, access, revision, each, view) })),
  );
}
