import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Ref } from "../../git/refs/ref.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";

/** Refs and commits that are looked at, and names of each kind that are shown. */
const mostRefs = 1000;
const mostCommits = 200_000;
const shownNames = 6;

const kinds = [
  { prefix: "refs/heads/", kind: "branch", sign: "git-branch" },
  { prefix: "refs/tags/", kind: "tag", sign: "tag" },
] as const;

/** The branches and tags that contain a commit: the default branch first, then by name. */
export async function containingRefs(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  commit: string,
): Promise<Html | null> {
  const { refs, view } = await forge.git.revisions.listWithView(access.repository);
  const isDefault = ({ name }: Ref) => name === `refs/heads/${access.repository.defaultBranch}`;
  const looked = refs
    .filter(({ name }) => kinds.some(({ prefix }) => name.startsWith(prefix)))
    .toSorted((one, other) => Number(isDefault(other)) - Number(isDefault(one)))
    .slice(0, mostRefs);
  // A tag can be of a tree, which contains no commit.
  const commits = await forge.git.commits.find(
    view,
    looked.map(({ oid, peeled }) => peeled ?? oid),
  );
  const tips = looked.filter(({ oid, peeled }) => commits.has(peeled ?? oid));
  const contains = await forge.git.engine.call(
    view,
    "containingTips",
    { commit, tips: tips.map(({ oid, peeled }) => peeled ?? oid), most: mostCommits },
    visit.request.signal,
  );
  const found = tips.filter((_, index) => contains[index]);
  const groups = kinds.flatMap(({ prefix, kind, sign }) => {
    const names = found.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
    const links = names
      .slice(0, shownNames)
      .map((name) => html`<a class="ref" href="${sourceLink(visit.root, access, { kind, name }, "")}">${name}</a>`);
    const more =
      names.length > shownNames
        ? html`<span class="soft">and ${wholeNumber(names.length - shownNames)} more</span>`
        : null;
    return names.length === 0
      ? []
      : [html`<span class="line flow">${icon(visit, sign)}<span class="sr">In ${kind}:</span>${links}${more}</span>`];
  });
  return groups.length === 0 ? null : html`<div class="line flow small">${groups}</div>`;
}
