import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { PullRange } from "../../domain/work/pulls/range.ts";
import { listPullCommits } from "../../domain/work/pulls/range.ts";
import { clip } from "../../lib/show-value.ts";
import { diffView } from "../code/diff-view.ts";
import { readDiff } from "../code/read-diff.ts";
import { commitHead } from "../commit/commit-head.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import type { Visit } from "../visit.ts";

/** Commits among which the one before and the one after are looked for, the latest of a pull request. */
const mostCommits = 1000;

/** A commit of a pull request with its changes, and the ways to those before and after it. Throws NotFound for any other. */
export async function pullCommit(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  { issue }: { issue: IssueRow },
  range: PullRange,
): Promise<Html> {
  const { signal } = visit.request;
  const sha = visit.params["sha"] ?? "";
  const { commits, total } = await listPullCommits(forge, range, { skip: 0, limit: mostCommits, files: false }, signal);
  const at = /^[0-9a-f]{7,64}$/.test(sha) ? commits.findIndex(({ oid }) => oid.startsWith(sha)) : -1;
  const commit = commits[at];
  if (commit === undefined) {
    throw new NotFound("commit of the pull request", clip(sha, 80));
  }
  const address = `${issueLink(visit.root, access, issue)}/commits`;
  const [parent] = commit.parents;
  const { view } = range;
  const [{ head }, diff] = await Promise.all([
    commitHead(forge, visit, access, { kind: "commit", name: commit.oid, commit: commit.oid, view }, commit, 2),
    readDiff(forge, visit, {
      view,
      before: parent === undefined ? null : { access, commit: parent },
      after: { access, commit: commit.oid },
    }),
  ]);
  const step = (words: string, oid: string | undefined, rel: string) =>
    oid === undefined
      ? html`<span class="button s" aria-disabled="true">${words}</span>`
      : html`<a class="button s" rel="${rel} nofollow" href="${address}/${oid}">${words}</a>`;
  return html`<nav class="tools" aria-label="Commits of the pull request"><span class="soft grow">Commit ${total - at} of ${total}</span><span class="group">${step("Previous", commits[at + 1]?.oid, "prev")}${step("Next", commits[at - 1]?.oid, "next")}</span></nav>${head}${diffView(visit, diff)}`;
}
