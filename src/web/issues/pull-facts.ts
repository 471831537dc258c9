import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Mergeability } from "../../db/schema/pulls.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { findPullById } from "../../domain/work/pulls/queries.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";
import { reads } from "../frame/subject-tabs.ts";
import type { Visit } from "../visit.ts";

/** The words on whether a pull request can be merged. */
const mergeability: Readonly<Record<Mergeability, string>> = {
  checking: "Whether it merges is being worked out.",
  mergeable: "It merges without conflicts.",
  conflict: "It has conflicts with its base.",
  empty: "Its base has all of it.",
  error: "Whether it merges could not be worked out.",
};

/** What a pull request proposes: from where to where, how much, and whether it merges. */
export async function pullFacts(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  issue: IssueRow,
): Promise<Html | null> {
  const found = reads(visit, "code") ? await findPullById(forge.database.db, issue.id) : null;
  if (found === null) {
    return null;
  }
  const { pull } = found;
  const address = issueLink(visit.root, access, issue);
  const files = `${wholeNumber(pull.changedFiles)} ${pull.changedFiles === 1 ? "file" : "files"}`;
  const commits = `${wholeNumber(pull.commitCount)} ${pull.commitCount === 1 ? "commit" : "commits"}`;
  const state = issue.closedAt === null ? mergeability[pull.mergeability] : null;
  return html`<section class="panel edge facts-of" aria-label="What it changes"><div class="body line flow">${icon(visit, "git-branch")}<span><code>${pull.headBranch}</code> into <code>${pull.baseBranch}</code></span><span class="soft num">${commits}, ${files}, <span class="green">+${wholeNumber(pull.additions)}</span> <span class="red">−${wholeNumber(pull.deletions)}</span></span><span class="grow soft">${state}</span><span class="group"><a class="button s" href="${address}.diff">.diff</a><a class="button s" href="${address}.patch">.patch</a></span></div></section>`;
}
