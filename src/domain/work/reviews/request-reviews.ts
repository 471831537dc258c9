import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { mayWriteIssue } from "../issues/access.ts";
import { Forbidden } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { loadRules } from "../../git/protections/rule-queries.ts";
import type { Work } from "../../spine/work.ts";
import { NothingToReview } from "./errors.ts";
import { lockPull } from "./lock-pull.ts";
import { findOfficialReviewers, findOfficialTeams } from "./official-queries.ts";
import {
  insertReview,
  removeReview,
  standingDecisions,
  updateReview,
  type ReviewedPull,
  type ReviewRow,
} from "./queries.ts";
import {
  findReviewers,
  isBrought,
  listRequests,
  nameOfAsked,
  suspendApprovals,
  takeOverRequests,
} from "./request-queries.ts";
import { findReviewingTeams } from "./team-queries.ts";

/** Names of users, and of teams of the organization that owns the repository. */
export interface ReviewerNames {
  readonly users: readonly string[];
  readonly teams: readonly string[];
}

/** A user or a team that is asked. */
interface Asked {
  readonly id: number;
  readonly name: string;
}

/** Most names of one request. */
const maxNames = 100;

/**
 * Asks users and teams to review a pull request, and returns the requests that are new. For its author, and for those who may write to pull requests. Throws
 * NotFound, Forbidden, NothingToReview for a closed one, and InvalidInput, naming the field, for the author and for whom the pull requests cannot be read by.
 */
export async function requestReviews(
  work: Work,
  access: RepositoryAccess,
  number: number,
  names: ReviewerNames,
): Promise<ReviewRow[]> {
  const locked = await lockPull(work, access, number);
  await demandAsker(work, access, locked);
  if (locked.issue.closedAt !== null) {
    throw new NothingToReview(number);
  }
  const { users, teams } = await findAsked(work, access, names);
  const own = users.find(({ id }) => id === locked.issue.authorId);
  if (own !== undefined) {
    throw new InvalidInput(`reviewers: "${own.name}" is the author of pull request #${number}`, "reviewers");
  }
  return addRequests(work, access, locked, { users, teams });
}

/**
 * Withdraws requests; those who were not asked stay so. For those who may ask, and for the users who were asked; of each request, `demandWithdrawal`
 * decides. Throws what `requestReviews` throws.
 */
export async function withdrawRequests(
  work: Work,
  access: RepositoryAccess,
  number: number,
  names: ReviewerNames,
): Promise<void> {
  const locked = await lockPull(work, access, number);
  const named = await findAsked(work, access, names);
  const { users, teams } = named;
  const isOnlyOwn = teams.length === 0 && users.every(({ id }) => id === work.actorId);
  if (!isOnlyOwn) {
    await demandAsker(work, access, locked);
  }
  if (locked.issue.closedAt !== null) {
    throw new NothingToReview(number);
  }
  const requests = await listRequests(work.tx, locked.pull.issueId);
  for (const row of requestsOf(requests, named)) {
    await withdraw(work, access, locked, row);
  }
}

/** Withdraws one request of a locked pull request. Throws what `demandWithdrawal` throws. */
export async function withdraw(
  work: Work,
  access: RepositoryAccess,
  locked: ReviewedPull,
  row: ReviewRow,
): Promise<void> {
  await demandWithdrawal(work, locked, row);
  const asked = await nameOfAsked(work.tx, row);
  await removeReview(work.tx, row.id);
  if (row.reviewerId !== null) {
    await restoreDecision(work, access, locked, row.reviewerId);
  }
  const told = { repository: namedRepository(access), issue: namedIssue(locked.issue) };
  work.tell({ kind: "review.request-withdrawn", ...told, ...asked });
}

/**
 * A request is withdrawn by the user who was asked, the user who asked, and administrators. The author of the pull request withdraws none that
 * another user or the server made, even as an administrator: a rule of the base branch may wait for it. Throws Forbidden.
 */
async function demandWithdrawal(work: Work, { issue }: ReviewedPull, row: ReviewRow): Promise<void> {
  if (work.actorId !== null && (row.reviewerId === work.actorId || row.askedById === work.actorId)) {
    return;
  }
  if (issue.authorId !== null && issue.authorId === work.actorId) {
    throw new Forbidden("The author of a pull request withdraws only the review requests that they made themselves");
  }
  await work.demand({ on: "repository", do: "admin", unit: "pulls" });
}

/** Makes the requests that are not there yet. Those that only the author made are now the doer's, too. The caller has locked the pull request and decided about all of them. */
export async function addRequests(
  work: Work,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  { issue, pull }: ReviewedPull,
  { users, teams }: { users: readonly Asked[]; teams: readonly Asked[] },
): Promise<ReviewRow[]> {
  const { tx } = work;
  const requests = await listRequests(tx, pull.issueId);
  const askedById = work.doer.kind === "server" ? null : work.actorId;
  const newUsers = users.filter(({ id }) => !requests.some(({ reviewerId }) => reviewerId === id));
  const newTeams = teams.filter(({ id }) => !requests.some(({ teamId }) => teamId === id));
  const rule = (await loadRules(tx, access.repository.id, null)).branches.find(pull.baseBranch);
  if (askedById !== issue.authorId) {
    const askedAgain = requestsOf(requests, { users, teams });
    await takeOverRequests(tx, askedAgain, { from: issue.authorId, to: askedById });
  }
  const idsOf = (all: readonly Asked[]) => all.map(({ id }) => id);
  const officialUsers = await findOfficialReviewers(tx, access.repository.id, rule, idsOf(newUsers));
  const officialTeams = await findOfficialTeams(tx, rule, idsOf(newTeams));
  const told = { repository: namedRepository(access), issue: namedIssue(issue) };
  const added: ReviewRow[] = [];
  for (const { id, name } of newUsers) {
    const official = officialUsers.has(id);
    if (official) {
      await suspendApprovals(tx, pull.issueId, id);
    }
    added.push(await insertReview(tx, { pullId: pull.issueId, kind: "request", reviewerId: id, official, askedById }));
    work.tell({ kind: "review.requested", ...told, user: { id, name }, team: null });
  }
  for (const { id, name } of newTeams) {
    const official = officialTeams.has(id);
    added.push(await insertReview(tx, { pullId: pull.issueId, kind: "request", teamId: id, official, askedById }));
    work.tell({ kind: "review.requested", ...told, user: null, team: { id, name } });
  }
  return added;
}

/** Returns the requests to these users and teams. */
function requestsOf(
  requests: readonly ReviewRow[],
  { users, teams }: { users: readonly Asked[]; teams: readonly Asked[] },
): ReviewRow[] {
  return requests.filter(
    ({ reviewerId, teamId }) => users.some(({ id }) => id === reviewerId) || teams.some(({ id }) => id === teamId),
  );
}

/** Lets the last decision of a reviewer count again who is not asked any more. A review that a migration brought never counts. */
async function restoreDecision(
  { tx }: Work,
  { repository }: RepositoryAccess,
  { pull }: ReviewedPull,
  userId: number,
): Promise<void> {
  const [last] = await standingDecisions(tx, pull.issueId, userId);
  if (last !== undefined && !(await isBrought(tx, last.id))) {
    const rule = (await loadRules(tx, repository.id, null)).branches.find(pull.baseBranch);
    const official = (await findOfficialReviewers(tx, repository.id, rule, [userId])).has(userId);
    await updateReview(tx, last.id, { official });
  }
}

async function demandAsker(work: Work, access: RepositoryAccess, { issue }: ReviewedPull): Promise<void> {
  const isAuthor = issue.authorId !== null && issue.authorId === work.actorId;
  if (!isAuthor && !mayWriteIssue(access, issue)) {
    throw new Forbidden(
      "Only the author of a pull request, and those who may write to pull requests of the repository, ask for reviews",
    );
  }
  await work.demand({ on: "repository", do: isAuthor ? "participate" : "write", unit: "pulls" });
}

const lower = (list: readonly string[]) => [...new Set(list.map((name) => name.toLowerCase()))];

/** Users and teams by their names. Throws InvalidInput that names the field, which does not say whether somebody exists. */
async function findAsked(
  work: Work,
  { repository, owner }: RepositoryAccess,
  names: ReviewerNames,
): Promise<{ users: Asked[]; teams: Asked[] }> {
  for (const [field, list] of [["reviewers", names.users] as const, ["team_reviewers", names.teams] as const]) {
    if (list.length > maxNames) {
      throw new InvalidInput(`${field} has at most ${maxNames} names`, field);
    }
  }
  if (names.teams.length > 0 && owner.kind === "user") {
    throw new InvalidInput(
      `team_reviewers must be empty: "${owner.name}" is a user, and only repositories of organizations have teams`,
      "team_reviewers",
    );
  }
  const users = await findReviewers(work.tx, repository.id, lower(names.users));
  const teams = await findReviewingTeams(work.tx, repository.id, lower(names.teams));
  return {
    users: inOrder(names.users, users, "reviewers", "user"),
    teams: inOrder(names.teams, teams, "team_reviewers", "team"),
  };
}

function inOrder(
  names: readonly string[],
  found: readonly (Asked & { lowerName: string })[],
  field: string,
  what: string,
): Asked[] {
  const byName = new Map(found.map((one) => [one.lowerName, one]));
  const asked = names.map((name) => {
    const one = byName.get(name.toLowerCase());
    if (one === undefined) {
      throw new InvalidInput(
        `${field}: there is no ${what} "${clip(name, 80)}" who may read the pull requests of the repository`,
        field,
      );
    }
    return one;
  });
  return [...new Set(asked)];
}
