import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Ref } from "../../git/refs/ref.ts";
import { html, type Html } from "../html.ts";
import { archiveLink, commitLink, repositoryLink, sourceLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { tabs } from "../parts/tabs.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { commitTitle } from "./commit-title.ts";

const kinds = {
  branches: { prefix: "refs/heads/", kind: "branch", none: "No branches" },
  tags: { prefix: "refs/tags/", kind: "tag", none: "No tags" },
} as const;

type Side = keyof typeof kinds;

/** The object at the end of a ref. */
function tipOf({ oid, peeled }: Ref): string {
  return peeled ?? oid;
}

/** The branches and the tags of a repository, each with its last commit. */
export function refPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function list(visit: Visit, access: RepositoryAccess, side: Side): Promise<Html> {
    const { prefix, kind, none } = kinds[side];
    const at = sliceOf(visit.query);
    const refs = await forge.git.revisions.page(access.repository, prefix, at);
    const commits = await forge.git.commits.find(refs.view, [...new Set(refs.rows.map(tipOf))]);
    const items = refs.rows.map((ref) => {
      const name = ref.name.slice(prefix.length);
      const commit = commits.get(tipOf(ref));
      const isDefault = kind === "branch" && name === access.repository.defaultBranch;
      const last =
        commit === undefined
          ? null
          : html`<div class="line small soft"><a class="oid" href="${commitLink(visit.root, access, commit.oid)}">${commit.oid.slice(0, 10)}</a><a class="cut soft" href="${commitLink(visit.root, access, commit.oid)}" dir="auto">${commitTitle(commit.message)}</a>${ago(visit, new Date(commit.committer.seconds * 1000))}</div>`;
      return html`<li><div class="grow"><a class="ref" href="${sourceLink(visit.root, access, { kind, name }, "")}">${name}</a> ${isDefault && html`<span class="tag">default</span>`}${last}</div>
        <a class="button s bare icon" href="${sourceLink(visit.root, access, { kind, name }, "", "commits")}" aria-label="History of ${name}">${icon(visit, "history")}</a>
        <a class="button s bare icon" rel="nofollow" href="${archiveLink(visit.root, access, name, "zip")}" aria-label="Download ${name} as zip">${icon(visit, "download")}</a></li>`;
    });
    const address = `${repositoryLink(visit.root, access)}/${side}`;
    return refs.total === 0
      ? empty(visit, kind === "branch" ? "git-branch" : "tag", none, "Push one to see it here.")
      : html`<ul class="panel rows links edge">${items}</ul>${pager(visit, address, visit.query, at, refs.total)}`;
  }

  return (["branches", "tags"] as const).map((side) =>
    page(
      "GET",
      `/:owner/:repo/${side}`,
      { may: { on: "repository", do: "read", unit: "code" } },
      async ({ visit, repository: access }) => {
        const base = repositoryLink(visit.root, access);
        const title = side === "branches" ? "Branches" : "Tags";
        return {
          title: `${title} · ${access.owner.name}/${access.repository.name}`,
          place: { tab: "code" },
          body: html`<h1 class="sr">${title}</h1><div class="tools">${tabs(
            "Kinds of refs",
            [
              { key: "branches", name: "Branches", href: `${base}/branches` },
              { key: "tags", name: "Tags", href: `${base}/tags` },
            ],
            side,
          )}</div>${await list(visit, access, side)}`,
        };
      },
    ),
  );
}
