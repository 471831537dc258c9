import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listPullCommits, openPullText, preparePullRanges } from "../../domain/work/pulls/range.ts";
import { streamBody } from "../../http/file-response.ts";
import { checkList } from "../checks/check-list.ts";
import { reads } from "../frame/subject-tabs.ts";
import { commitList } from "../history/commit-list.ts";
import { html } from "../html.ts";
import { issuePage } from "../issues/discussion.ts";
import { commitLink, issueLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { cachingOf } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { pullActPages } from "./acts.ts";
import { mergePages } from "./merge-acts.ts";
import { conflictPages } from "./conflicts-page.ts";
import { loadMerge } from "./load-pull.ts";
import { pullCommit } from "./pull-commit.ts";
import { getPull, readsChanges, sidePage } from "./side-page.ts";
import { readsIssues } from "../issues/specs.ts";

/** The pages of pull requests, and their changes as text at the addresses that the API calls `diff_url` and `patch_url`. */
export function pullPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const ranges = preparePullRanges(forge);

  async function textOf(
    visit: Visit,
    access: RepositoryAccess,
    number: number,
    kind: "diff" | "patch",
  ): Promise<Response> {
    const { signal } = visit.request;
    const range = await ranges.get(access, number, signal);
    return new Response(
      await streamBody(visit.request, () => openPullText(forge, range, { kind, binary: false }, signal)),
      {
        headers: {
          "content-type": "text/plain; charset=utf-8",
          "x-content-type-options": "nosniff",
          ...cachingOf(visit.isPrivate),
        },
      },
    );
  }

  return [
    page("GET", "/:owner/:repo/pulls/:index", readsIssues, async ({ visit, doer, repository: access }) => {
      const asked = visit.params["index"] ?? "";
      const [, number, kind] = /^([1-9][0-9]{0,8})\.(diff|patch)$/.exec(asked) ?? [];
      if (number === undefined) {
        return issuePage(forge, visit, doer, access, true);
      }
      if (!reads(visit, "code-of-pulls")) {
        throw new NotFound("page", asked);
      }
      return textOf(visit, access, Number(number), kind === "patch" ? "patch" : "diff");
    }),
    page("GET", "/:owner/:repo/pulls/:index/commits", readsChanges, async ({ visit, repository: access }) => {
      const found = await getPull(forge, visit, access);
      const { signal } = visit.request;
      const at = sliceOf(visit.query);
      const range = await ranges.get(access, found.issue.number, signal);
      const slice = { skip: at.offset, limit: at.size, files: false };
      const { commits, total } = await listPullCommits(forge, range, slice, signal);
      const address = `${issueLink(visit.root, access, found.issue)}/commits`;
      const list =
        commits.length === 0
          ? empty(visit, "history", "No commits", "Its base has all of its commits.")
          : await commitList(forge, visit, access, commits);
      return sidePage(visit, access, found, "commits", html`${list}${pager(visit, address, visit.query, at, total)}`);
    }),
    page("GET", "/:owner/:repo/pulls/:index/commits/:sha", readsChanges, async ({ visit, repository: access }) => {
      const found = await getPull(forge, visit, access);
      const content = await pullCommit(
        forge,
        visit,
        access,
        found,
        await ranges.get(access, found.issue.number, visit.request.signal),
      );
      return sidePage(visit, access, found, "commits", content);
    }),
    page("GET", "/:owner/:repo/pulls/:index/checks", readsChanges, async ({ visit, repository: access }) => {
      const found = await getPull(forge, visit, access);
      const { pull } = found.loaded;
      const { prospect } = await loadMerge(forge, visit, access, pull);
      const address = `${issueLink(visit.root, access, found.issue)}/checks`;
      const wanted = prospect?.checks ?? [];
      const list = await checkList(forge, visit, access, { oid: pull.headOid, wanted, address });
      const of = html`<p class="soft">Of the head, <a href="${commitLink(visit.root, access, pull.headOid)}" class="oid">${pull.headOid.slice(0, 10)}</a>. The checks of other commits stand beside them.</p>`;
      return sidePage(visit, access, found, "checks", html`<div class="stack">${of}</div>${list}`);
    }),
    ...mergePages(forge, page),
    ...conflictPages(forge, page),
    ...pullActPages(forge, page),
  ];
}
