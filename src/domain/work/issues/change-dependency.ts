import type { RepositoryAccess } from "../../../auth/subject.ts";
import { StithyError } from "../../../lib/errors.ts";
import { Forbidden, NotFound, RepositoryArchived } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { mayReadIssue, mayWriteIssue } from "./access.ts";
import {
  countDependencies,
  dependsOn,
  insertDependency,
  lockDependencies,
  removeDependency,
} from "./dependency-queries.ts";
import { namedIssue } from "./named-issue.ts";
import { findIssueRow, type IssueRow } from "./queries.ts";

/** An issue by its repository and number. */
export interface IssueAddress {
  access: RepositoryAccess;
  number: number;
}

/** Most issues that one depends on. */
const mostDependencies = 200;

/** An issue cannot depend on another one. */
class DependencyRefused extends StithyError {
  constructor(message: string) {
    super("invalid", "dependency-refused", message);
  }
}

async function find({ tx }: Work, { access, number }: IssueAddress): Promise<IssueRow> {
  const row = await findIssueRow(tx, access.repository.id, number);
  if (row === null || !mayReadIssue(access, row)) {
    throw new NotFound("issue", String(number));
  }
  return row;
}

/** Finds both issues. Throws NotFound, Forbidden, RepositoryArchived, and DependencyRefused where the repository has none. */
async function findBoth(work: Work, dependent: IssueAddress, other: IssueAddress): Promise<[IssueRow, IssueRow]> {
  const { repository, owner } = dependent.access;
  const row = await find(work, dependent);
  const on = await find(work, other);
  if (!mayWriteIssue(dependent.access, row)) {
    throw new Forbidden("What an issue depends on is for those to say who may write issues of its repository");
  }
  if (repository.archivedAt !== null) {
    throw new RepositoryArchived(`${owner.name}/${repository.name}`);
  }
  if (!repository.enableIssueDependencies) {
    throw new DependencyRefused(`Issues of "${owner.name}/${repository.name}" have no dependencies`);
  }
  return [row, on];
}

/**
 * Lets an issue depend on another one: it cannot be closed before that. The unit of work was opened for somebody who may write the
 * first and read the second. Throws what `findBoth` throws, and DependencyRefused for an issue itself, one that depends on
 * it, one that it depends on already, and for too many.
 */
export async function addDependency(work: Work, dependent: IssueAddress, other: IssueAddress): Promise<void> {
  const { tx } = work;
  await lockDependencies(tx);
  const [row, on] = await findBoth(work, dependent, other);
  if (row.id === on.id) {
    throw new DependencyRefused("An issue cannot depend on itself");
  }
  if (await dependsOn(tx, on.id, row.id)) {
    throw new DependencyRefused(
      `Number ${on.number} depends on number ${row.number} already, if not directly: this would be a circle`,
    );
  }
  if ((await countDependencies(tx, row.id)) >= mostDependencies) {
    throw new DependencyRefused(`An issue depends on at most ${mostDependencies} others`);
  }
  if (!(await insertDependency(tx, row.id, on.id))) {
    throw new DependencyRefused(`Number ${row.number} depends on number ${on.number} already`);
  }
  tell(work, "issue.dependency-added", [dependent, row], [other, on]);
}

/** Lets an issue no longer depend on another one. Throws what `findBoth` throws, and NotFound when it does not. */
export async function endDependency(work: Work, dependent: IssueAddress, other: IssueAddress): Promise<void> {
  const { tx } = work;
  await lockDependencies(tx);
  const [row, on] = await findBoth(work, dependent, other);
  if (!(await removeDependency(tx, row.id, on.id))) {
    throw new NotFound("dependency on issue", String(on.number));
  }
  tell(work, "issue.dependency-removed", [dependent, row], [other, on]);
}

/** Tells it of both issues. */
function tell(
  work: Work,
  kind: "issue.dependency-added" | "issue.dependency-removed",
  ...both: [[IssueAddress, IssueRow], [IssueAddress, IssueRow]]
): void {
  for (const [[one, row], [, other]] of [both, both.toReversed() as typeof both]) {
    work.tell({ kind, repository: namedRepository(one.access), issue: namedIssue(row), other: namedIssue(other) });
  }
}
