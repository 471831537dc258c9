import type { RepositoryAccess } from "../../auth/subject.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { mayWriteIssue } from "../issues/access.ts";
import { Forbidden } from "../errors.ts";
import { namedRepository } from "../events/names.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { loadRules } from "../protections/rule-queries.ts";
import type { Work } from "../work.ts";
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
import { findReviewers, listRequests, nameOfAsked, suspendDecisions } from "./request-queries.ts";
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

/** Withdraws requests; whoever was not asked stays so. For those who may ask, and for whoever was asked. Throws what `requestReviews` throws. */
export async function withdrawRequests(
  work: Work,
  access: RepositoryAccess,
  number: number,
  names: ReviewerNames,
): Promise<void> {
  const locked = await lockPull(work, access, number);
  const { users, teams } = await findAsked(work, access, names);
  const isOnlyOwn = teams.length === 0 && users.every(({ id }) => id === work.actorId);
  if (!isOnlyOwn) {
    await demandAsker(work, access, locked);
  }
  if (locked.issue.closedAt !== null) {
    throw new NothingToReview(number);
  }
  const requests = await listRequests(work.tx, locked.pull.issueId);
  const isNamed = ({ reviewerId, teamId }: ReviewRow) =>
    users.some(({ id }) => id === reviewerId) || teams.some(({ id }) => id === teamId);
  for (const row of requests.filter(isNamed)) {
    await withdraw(work, access, locked, row);
  }
}

/** Withdraws one request of a locked pull request. Whoever calls has decided that the doer may. */
export async function withdraw(
  work: Work,
  access: RepositoryAccess,
  locked: ReviewedPull,
  row: ReviewRow,
): Promise<void> {
  const asked = await nameOfAsked(work.tx, row);
  await removeReview(work.tx, row.id);
  if (row.reviewerId !== null) {
    await restoreDecision(work, access, locked, row.reviewerId);
  }
  const told = { repository: namedRepository(access), issue: namedIssue(locked.issue) };
  work.tell({ kind: "review.request-withdrawn", ...told, ...asked });
}

/** Makes the requests that are not there yet. Whoever calls has locked the pull request and decided about all of them. */
export async function addRequests(
  work: Work,
  access: Pick<RepositoryAccess, "repository" | "owner">,
  { issue, pull }: ReviewedPull,
  { users, teams }: { users: readonly Asked[]; teams: readonly Asked[] },
): Promise<ReviewRow[]> {
  const { tx } = work;
  const requests = await listRequests(tx, pull.issueId);
  const newUsers = users.filter(({ id }) => !requests.some(({ reviewerId }) => reviewerId === id));
  const newTeams = teams.filter(({ id }) => !requests.some(({ teamId }) => teamId === id));
  const rule = (await loadRules(tx, access.repository.id, null)).branches.find(pull.baseBranch);
  const idsOf = (all: readonly Asked[]) => all.map(({ id }) => id);
  const officialUsers = await findOfficialReviewers(tx, access.repository.id, rule, idsOf(newUsers));
  const officialTeams = await findOfficialTeams(tx, rule, idsOf(newTeams));
  const told = { repository: namedRepository(access), issue: namedIssue(issue) };
  const added: ReviewRow[] = [];
  for (const { id, name } of newUsers) {
    const official = officialUsers.has(id);
    if (official) {
      await suspendDecisions(tx, pull.issueId, id);
    }
    added.push(await insertReview(tx, { pullId: pull.issueId, kind: "request", reviewerId: id, official }));
    work.tell({ kind: "review.requested", ...told, user: { id, name }, team: null });
  }
  for (const { id, name } of newTeams) {
    const official = officialTeams.has(id);
    added.push(await insertReview(tx, { pullId: pull.issueId, kind: "request", teamId: id, official }));
    work.tell({ kind: "review.requested", ...told, user: null, team: { id, name } });
  }
  return added;
}

/** What somebody decided last counts again where they are not asked any more. */
async function restoreDecision(
  { tx }: Work,
  { repository }: RepositoryAccess,
  { pull }: ReviewedPull,
  userId: number,
): Promise<void> {
  const [last] = await standingDecisions(tx, pull.issueId, userId);
  if (last !== undefined) {
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
