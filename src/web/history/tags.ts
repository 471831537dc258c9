import type { RepositoryAccess } from "../../auth/subject.ts";
import { refuseTagChange } from "../../domain/git/protections/decide-change.ts";
import { loadRules } from "../../domain/git/protections/rule-queries.ts";
import { everyRef } from "../../domain/git/refs/refs-by-date.ts";
import type { RefPage } from "../../domain/git/refs/revisions.ts";
import { splitTagMessage } from "../../domain/git/signatures/tag-signature.ts";
import { findReleasedTags } from "../../domain/repos/releases/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { archiveLink, commitLink, releaseFormLink, releaseLink, repositoryLink, sourceLink } from "../links.ts";
import { offers } from "../offers.ts";
import { readsCode, writesReleases, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { ago } from "../parts/time.ts";
import { verifiedMark } from "../parts/verified.ts";
import { commitTitle } from "../repos/commit-title.ts";
import { mayChange } from "../repos/may-change.ts";
import type { Visit } from "../visit.ts";
import { refSearch } from "./ref-tools.ts";
import { historyNav } from "./side-nav.ts";
import { readTagFacts, type TagFacts } from "./tag-facts.ts";

const prefix = "refs/tags/";
/** UTF-16 code units of a message. */
const shownMessage = 4000;

/** A tag as its row shows it. */
interface ShownTag extends TagFacts {
  readonly name: string;
  readonly isReleased: boolean;
  /** Why it cannot be deleted; null: it can. undefined: the visitor may not write. */
  readonly refusedDeletion: string | null | undefined;
}

function row(visit: Visit, access: RepositoryAccess, tag: ShownTag, index: number): Html {
  const { name, commit, annotated, refusedDeletion } = tag;
  const base = repositoryLink(visit.root, access);
  const ref = { kind: "tag", name } as const;
  const id = `tag-menu-${index}`;
  const text = annotated === null ? "" : splitTagMessage(annotated.message).text.trim();
  const subject = text === "" ? null : commitTitle(text);
  const rest = subject === null ? "" : text.slice(text.split("\n", 1)[0]?.length ?? 0).trim();
  const seconds = annotated?.tagger?.seconds ?? commit?.committer.seconds;
  const message =
    subject === null
      ? null
      : rest === ""
        ? html`<span dir="auto">${subject}</span>`
        : html`<details><summary dir="auto">${subject}</summary><pre dir="auto">${clip(rest, shownMessage)}</pre></details>`;
  const deletion =
    refusedDeletion === undefined
      ? null
      : refusedDeletion === null
        ? html`<hr><form method="post" action="${base}/tags/delete">${visit.formField()}<input type="hidden" name="name" value="${name}"><button class="red">${icon(visit, "trash-2")}Delete</button></form>`
        : html`<hr><p class="pad soft small">It cannot be deleted: ${refusedDeletion}.</p>`;
  const at =
    commit === undefined
      ? null
      : html`<a class="oid" href="${commitLink(visit.root, access, commit.oid)}">${commit.oid.slice(0, 10)}</a><a class="cut soft" href="${commitLink(visit.root, access, commit.oid)}" dir="auto">${commitTitle(commit.message)}</a>`;
  return html`<li><div class="grow stack s"><div class="line flow"><a class="ref" href="${sourceLink(visit.root, access, ref, "")}">${name}</a>${verifiedMark(visit, tag.verification)}${tag.isReleased && html`<a class="tag" href="${releaseLink(visit.root, access, name)}">${icon(visit, "tag")}release</a>`}${message}</div>
    <div class="line small soft">${annotated?.tagger != null && html`<b class="cut">${annotated.tagger.name}</b>`}${at}${seconds !== undefined && ago(visit, new Date(seconds * 1000))}</div></div>
    <button type="button" class="button s bare icon" popovertarget="${id}" aria-label="Actions for ${name}">${icon(visit, "ellipsis")}</button>
    <div class="menu" id="${id}" popover><a href="${sourceLink(visit.root, access, ref, "", "commits")}" rel="nofollow">${icon(visit, "history")}Commits</a>
    <a rel="nofollow" href="${archiveLink(visit.root, access, name, "zip")}">${icon(visit, "file-archive")}Download zip</a><a rel="nofollow" href="${archiveLink(visit.root, access, name, "tar.gz")}">${icon(visit, "file-archive")}Download tar.gz</a>${!tag.isReleased && offers(visit, writesReleases) && html`<a href="${releaseFormLink(visit.root, access, "new")}?${new URLSearchParams({ tag: name }).toString()}">${icon(visit, "tag")}Make a release of it</a>`}${deletion}</div></li>`;
}

/** The tags of a repository. */
export function tagListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function shown(visit: Visit, access: RepositoryAccess, refs: RefPage): Promise<ShownTag[]> {
    const names = refs.rows.map(({ name }) => name.slice(prefix.length));
    const [facts, rules, released] = await Promise.all([
      readTagFacts(forge, visit, refs.view, refs.rows),
      loadRules(db, access.repository.id, visit.actor?.id ?? null),
      names.length === 0 || !reads(visit, "releases")
        ? new Set<string>()
        : findReleasedTags(db, access.repository.id, names),
    ]);
    const isWriter = mayChange(visit, access);
    return facts.map(({ commit, annotated, verification }, index) => {
      const name = names[index] ?? "";
      const isReleased = released.has(name);
      return {
        commit,
        annotated,
        verification,
        name,
        isReleased,
        refusedDeletion: !isWriter
          ? undefined
          : isReleased
            ? "it has a release, which has to be deleted first"
            : refuseTagChange(rules.tags, name),
      };
    });
  }

  return [
    page("GET", "/:owner/:repo/tags", readsCode, async ({ visit, repository: access }) => {
      const { query } = visit;
      const at = sliceOf(query);
      const words = (query.get("q") ?? "").trim();
      const refs = await forge.git.refsByDate.page(access.repository, prefix, { ...everyRef, words }, at);
      const rows = await shown(visit, access, refs);
      const address = `${repositoryLink(visit.root, access)}/tags`;
      return {
        title: `Tags · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "code" },
        head: { feeds: [{ address, title: "Tags" }] },
        body: html`<div class="tools"><h1 class="grow">Tags</h1>${historyNav(visit, access, "tags")}</div>
            <div class="tools">${refSearch(visit, address, "tag", query)}${mayChange(visit, access) && html`<a class="button main" href="${address}/new">${icon(visit, "plus")}New tag</a>`}</div>
            ${refs.total > 0 ? html`<ul class="panel rows links edge">${rows.map((tag, index) => row(visit, access, tag, index))}</ul>` : empty(visit, "tag", words === "" ? "No tags" : "No tag is called like that", words === "" ? "Push one to see it here." : null)}
            ${pager(visit, address, query, at, refs.total)}`,
      };
    }),
  ];
}
