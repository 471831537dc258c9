import type { OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import type { EmailOwners } from "../../domain/git/commits/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { LogCommit } from "../../git/operations/log.ts";
import { html, type Html } from "../html.ts";
import { commitLink, sourceLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { dayOf, ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { commitTitle } from "./commit-title.ts";
import { committed } from "./directory.ts";
import { findSource } from "./find-source.ts";
import { readFewRefs, refMenu } from "./ref-menu.ts";
import { trail } from "./trail.ts";

/** A commit in a list: its title, who made it and when, and what leads to it. */
function row(visit: Visit, access: RepositoryAccess, commit: LogCommit, user: OwnerRow | null): Html {
  const { oid, message, author, committer } = commit;
  const link = commitLink(visit.root, access, oid);
  return html`<li><div class="grow"><a class="plain" href="${link}" dir="auto"><b>${commitTitle(message)}</b></a>
    <div class="line small soft">${committed(visit, user, author.name)}<span>committed ${ago(visit, new Date(committer.seconds * 1000))}</span></div></div>
    <a class="oid" href="${link}">${oid.slice(0, 10)}</a>${copyButton(visit, oid, { label: `Copy the id of ${oid.slice(0, 10)}`, isSmall: true })}
    <a class="button s bare icon" href="${sourceLink(visit.root, access, { kind: "commit", name: oid }, "")}" aria-label="Browse the files at ${oid.slice(0, 10)}">${icon(visit, "folder")}</a></li>`;
}

/** Commits in their order, those of a day in a panel of its own. */
function days(visit: Visit, access: RepositoryAccess, commits: readonly LogCommit[], authors: EmailOwners): Html {
  const groups: { day: string; commits: LogCommit[] }[] = [];
  for (const commit of commits) {
    const day = dayOf(visit, new Date(commit.committer.seconds * 1000));
    const last = groups.at(-1);
    if (last?.day === day) {
      last.commits.push(commit);
    } else {
      groups.push({ day, commits: [commit] });
    }
  }
  return html`${groups.map(
    (group) =>
      html`<section class="section"><h2>${group.day}</h2><ul class="panel rows links edge">${group.commits.map((commit) => row(visit, access, commit, authors.find(commit.author.email)))}</ul></section>`,
  )}`;
}

/** The history of a branch, tag or commit, or of a path in it. */
export function commitListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page(
      "GET",
      "/:owner/:repo/commits/*",
      { may: { on: "repository", do: "read", unit: "code" } },
      async ({ visit, repository: access }) => {
        const rest = visit.params["*"] ?? "";
        const source = await findSource(forge, access.repository, rest);
        if (source === null) {
          throw new NotFound("commit", rest);
        }
        const { revision, path } = source;
        const at = sliceOf(visit.query);
        const { commits, total } = await forge.git.commits.log(
          revision.view,
          {
            tips: [revision.commit],
            not: [],
            paths: path === "" ? [] : [path],
            skip: at.offset,
            limit: at.size,
            count: true,
            files: false,
            stats: false,
          },
          visit.request.signal,
        );
        const [authors, refs] = await Promise.all([
          forge.findUsersByEmail(
            commits.map(({ author }) => author.email),
            visit,
          ),
          readFewRefs(forge, access),
        ]);
        const address = sourceLink(visit.root, access, revision, path, "commits");
        return {
          title: `History of ${path === "" ? revision.name : path} · ${access.owner.name}/${access.repository.name}`,
          place: { tab: "code" },
          body: html`<div class="tools">${refMenu(visit, access, revision, path, refs, "commits")}${trail(visit, access, revision, path, "commits")}</div>
            ${commits.length === 0 ? empty(visit, "history", "No commits", "No commit changed this path.") : days(visit, access, commits, authors)}
            ${pager(visit, address, visit.query, at, total ?? 0)}`,
        };
      },
    ),
  ];
}
