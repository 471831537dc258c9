import { newJob } from "../../../queue/enqueue.ts";
import { isUnderWay } from "../../../queue/queries.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import type { Forge } from "../../spine/forge.ts";
import { isDraftTitle } from "../pulls/draft.ts";
import { findTip } from "../pulls/queries.ts";
import type { Work } from "../../spine/work.ts";
import { findCodeOwners, type CodeOwners } from "./code-owners.ts";
import { findPullToFollow, type PullToFollow } from "./follow-queries.ts";
import { findMergeBase } from "./place-comments.ts";
import { lockPullRow } from "./queries.ts";
import { findGivenReviewers, findReviewers } from "./request-queries.ts";
import { addRequests } from "./request-reviews.ts";
import { findReviewingTeams } from "./team-queries.ts";

/** Where the file may be. The first one found counts. */
const paths = ["CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"] as const;
/** A larger file is not read. */
const maxBytes = 256 * 1024;
/** Files after this many are not compared with the rules. */
const maxFiles = 3000;
/** Most owners that are asked of each kind, in the order of the rules. */
const maxOwners = 100;

const reason = "code owners";

/** Subscriber: the owners of files are asked when a pull request is opened, when it is ready after it was a draft, and when it has another head. */
export async function askOwnersOfPulls(work: Work, event: Event): Promise<void> {
  if (
    event.kind === "pull.synchronized" ||
    ((event.kind === "issue.opened" || event.kind === "issue.retitled") && event.issue.isPull)
  ) {
    await work.enqueueForServer(reason, jobFor(event.issue.id));
  }
}

function jobFor(issueId: number) {
  return newJob("code-owners", { issueId }, { key: String(issueId) });
}

/**
 * Requests reviews of the owners now, if that is still to be done. A merge calls it first, because a rule that waits
 * for requested reviews must not miss those that a job is about to request.
 */
export async function settleCodeOwners(forge: Forge, issueId: number): Promise<void> {
  if (await isUnderWay(forge.database.db, "code-owners", String(issueId))) {
    await askCodeOwners(forge, issueId);
  }
}

/**
 * Requests reviews of the owners of the files that a pull request changes, unless it is closed, a draft, or of a fork:
 * those who may read it, but not its author, nor those who have reviewed it. The rules are those of the default branch,
 * so that the pull request does not change them for itself.
 */
export async function askCodeOwners(forge: Forge, issueId: number): Promise<void> {
  const found = await findPullToFollow(forge.database.db, issueId);
  if (found === null || !isToBeReviewed(forge, found)) {
    return;
  }
  const { users, teams } = await ownersOf(forge, found);
  if (users.length + teams.length === 0) {
    return;
  }
  const { authorId } = found.issue;
  const author = authorId === null ? null : (await forge.identity.findSubject({ userId: authorId }, {})).actor;
  // The request is shown as its author's, as if they had made it.
  await forge.change(serverDoer(reason, author), (work) => ask(work, found, { users, teams }));
}

function isToBeReviewed({ config }: Forge, { issue, repository }: PullToFollow): boolean {
  return (
    issue.closedAt === null && repository.forkOf === null && !isDraftTitle(issue.title, config.pulls.draft_prefixes)
  );
}

async function ownersOf(forge: Forge, found: PullToFollow): Promise<CodeOwners> {
  const { repository, pull } = found;
  const view = await forge.git.views.current(repository);
  const after = Buffer.from(pull.headOid).toString("hex");
  return ownersOfChange(forge, repository, {
    view,
    after,
    findBefore: () => findMergeBase(forge, view, found, after),
  });
}

/** A change of files: from the commit that `findBefore` finds to another. */
interface FileChanges {
  readonly view: RepositoryView;
  readonly after: string;
  /** null: the two have no history in common. */
  readonly findBefore: () => Promise<string | null>;
}

/** The owners of the files that change between two commits, by the rules of the default branch. */
export async function ownersOfChange(
  forge: Forge,
  repository: PullToFollow["repository"],
  { view, after, findBefore }: FileChanges,
): Promise<CodeOwners> {
  const { engine, views } = forge.git;
  const tip = await findTip(forge.database.db, repository.id, repository.defaultBranch);
  const text = tip === null ? null : await readRules(forge, await views.current(repository), tip);
  const before = text === null ? null : await findBefore();
  if (text === null || before === null) {
    return { users: [], teams: [] };
  }
  const files = await engine.call(view, "changedFiles", { before, after, maxFiles });
  return findCodeOwners(
    text,
    files.map(({ filename }) => filename),
  );
}

/** The text of the file; null where there is none. */
async function readRules({ git }: Forge, view: RepositoryView, commit: string): Promise<string | null> {
  for (const path of paths) {
    const item = await git.engine.call(view, "readPath", { commit, path, maxBytes });
    if (item !== null && item.bytes !== null) {
      return Buffer.from(item.bytes).toString();
    }
  }
  return null;
}

const lower = (names: readonly string[]) => [...new Set(names.map((name) => name.toLowerCase()))].slice(0, maxOwners);

async function ask(work: Work, { pull: { issueId }, repository, owner, issue }: PullToFollow, owners: CodeOwners) {
  const { tx } = work;
  const pull = await lockPullRow(tx, issueId);
  if (pull === null || !pull.open) {
    return;
  }
  const ownTeams = owners.teams.filter(({ organization }) => organization.toLowerCase() === owner.lowerName);
  const users = await findReviewers(tx, repository.id, lower(owners.users));
  const teams = await findReviewingTeams(tx, repository.id, lower(ownTeams.map(({ team }) => team)));
  const given = await findGivenReviewers(tx, issueId);
  await addRequests(
    work,
    { repository, owner },
    { issue, pull },
    { users: users.filter(({ id }) => id !== issue.authorId && !given.has(id)), teams },
  );
}
