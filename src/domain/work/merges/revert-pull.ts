import type { RepositoryAccess } from "../../../auth/subject.ts";
import { pickCommit } from "../../git/branches/pick-commit.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { longestTitle } from "../issues/create-issue.ts";
import type { IssueRow } from "../issues/queries.ts";
import { createPull } from "../pulls/create-pull.ts";
import { findPull, type PullRow } from "../pulls/queries.ts";

/** Names that are tried for the branch: of a pull request that was reverted before, there may be one. */
const mostNames = 20;
/** Of the branch that was merged: a name of a branch has a bound. */
const longestPart = 70;

/**
 * Takes back what a merged pull request brought: one commit on a new branch beside its base, and a pull request of it. The branch stays where the pull
 * request is refused. Throws NotFound, Conflict (it is not merged, later changes are in the way), and what pickCommit and createPull throw.
 */
export async function revertPull(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
): Promise<IssueRow> {
  const found = await findPull(forge.database.db, access.repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  const { issue, pull } = found;
  const commit = pull.mergeCommitOid;
  if (commit === null) {
    throw new Conflict(`Pull request #${number} is not merged, so there is nothing to revert`);
  }
  const title = `Revert "${issue.title}"`.slice(0, longestTitle);
  const newBranch = await freeName(forge, access, `revert-${number}-${pull.headBranch.slice(0, longestPart)}`);
  await pickCommit(forge, doer, access, {
    commit,
    kind: "revert",
    branch: pull.baseBranch,
    newBranch,
    message: `${title}\n\nThis reverts pull request #${number}, merged as ${commit}.\n`,
    ...sinceOf(pull),
  });
  return createPull(forge, doer, access, {
    title,
    body: `Reverts #${number}`,
    base: pull.baseBranch,
    head: newBranch,
    assignees: [],
    labels: [],
    milestone: null,
    dueAt: null,
  });
}

/** A merge of the server's may have brought several commits: all of them since the base before it. Of one made by hand, only its commit is known. */
function sinceOf({ mergeStyle, baseOid }: PullRow): { since?: string } {
  return mergeStyle === "manually-merged" ? {} : { since: baseOid };
}

async function freeName(forge: Forge, { repository }: RepositoryAccess, wanted: string): Promise<string> {
  for (let attempt = 1; attempt <= mostNames; attempt++) {
    const name = attempt === 1 ? wanted : `${wanted}-${attempt}`;
    if ((await forge.git.refs.findRef(repository.id, `refs/heads/${name}`)) === null) {
      return name;
    }
  }
  throw new Conflict(`There are ${mostNames} branches "${wanted}" already: delete some of them first`);
}
