import type { LabelRow } from "../../work/issues/queries.ts";
import { checkScopes, mostPerIssue } from "../../work/issues/detail-queries.ts";
import { checkTitle } from "../../work/issues/create-issue.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { mentionedNames } from "../../work/issues/mentioned-names.ts";
import type { Work } from "../../spine/work.ts";
import {
  findAssignableIds,
  findFirstOwners,
  findLabelsNamed,
  findMilestonesTitled,
  findRepositories,
  findTitles,
  findUsers,
  insertAssigneePairs,
  insertCommentRows,
  insertIssueRows,
  insertLabelPairs,
  insertMentionPairs,
  lockNumbers,
  writeNumbers,
  type SeededRepository,
} from "./queries.ts";
import { SeedError } from "./seed-error.ts";
import type { Seeded } from "./seeded.ts";

/** The author of a text: here, and on the server that it was brought from. */
export interface BroughtAuthor {
  authorId: number;
  originalAuthor: string;
  /** 0: unknown. */
  originalAuthorId: number;
}

/** A comment of a seed. */
export interface CommentToSeed {
  body: string;
  /** The name of a user; undefined: the issue's author. */
  author: string | BroughtAuthor | undefined;
  /** null: now. */
  createdAt: Date | null;
}

/** An issue of a seed. `place` says where it stands there. */
export interface IssueToSeed {
  place: string;
  /** `owner/name` */
  repository: string;
  number: number;
  title: string;
  body: string;
  /** The name of a user; undefined: the owner of the repository, or the first owner of the organization. */
  author: string | BroughtAuthor | undefined;
  /** Names. */
  labels: readonly string[];
  assignees: readonly string[];
  /** A title; null: none. */
  milestone: string | null;
  ref: string;
  closed: boolean;
  locked: boolean;
  dueAt: Date | null;
  createdAt: Date | null;
  closedAt: Date | null;
  comments: readonly CommentToSeed[];
  /** Inserts the pull request of the issue with this id. */
  asPull?: (work: Work, issueId: number) => Promise<void>;
}

/** An issue with what its names lead to. */
interface Resolved {
  issue: IssueToSeed;
  repositoryId: number;
  author: Author;
  labels: readonly LabelRow[];
  assigneeIds: readonly number[];
  milestoneId: number | null;
  commentAuthors: readonly Author[];
}

/** null: the user is gone. */
type Author = Omit<BroughtAuthor, "authorId"> & { authorId: number | null };

const writtenHere = (authorId: number | null): Author => ({ authorId, originalAuthor: "", originalAuthorId: 0 });

/** Everything that names in a batch lead to. */
interface Known {
  repositories: Map<string, SeededRepository>;
  users: Map<string, { id: number }>;
  firstOwners: Map<number, number>;
  labels: readonly LabelRow[];
  milestones: readonly { id: number; repositoryId: number; title: string }[];
  assignable: Map<number, Set<number>>;
}

/**
 * Makes issues with their comments, without telling anybody: nobody gets mail or a notification, and timelines have the
 * comments alone. Counts, numbers and mentions are as if they had been written one by one. An issue whose number the
 * repository has already is left as it is, if it has the same title. `gaps`: numbers may be missing, for example of
 * issues that were deleted elsewhere. Throws SeedError with all problems.
 */
export async function seedIssues(
  work: Work,
  issues: readonly IssueToSeed[],
  { gaps = false }: { gaps?: boolean } = {},
): Promise<{ issues: Seeded; comments: Seeded }> {
  const { tx } = work;
  const repositories = await findRepositories(tx, [...new Set(issues.map(({ repository }) => repository))]);
  refuseIf(
    issues
      .filter(({ repository }) => !repositories.has(repository.toLowerCase()))
      .map(({ place, repository }) => `${place}.repository: there is no repository "${clip(repository, 80)}"`),
  );
  const idOf = ({ repository }: IssueToSeed) => repositories.get(repository.toLowerCase())?.id ?? 0;
  const numbers = await lockNumbers(tx, [...new Set(issues.map(idOf))]);
  const titles = await findTitles(
    tx,
    issues.map((issue) => ({ repositoryId: idOf(issue), number: issue.number })),
  );
  const problems: string[] = [];
  const added = issues.filter((issue) => {
    const { place, repository, number, title } = issue;
    const next = (numbers.get(idOf(issue)) ?? 0) + 1;
    const present = titles.get(`${idOf(issue)}#${number}`);
    if (number === next || (gaps && number > next)) {
      numbers.set(idOf(issue), number);
      return true;
    }
    if (number > next) {
      problems.push(
        `${place}.number: numbers have no gaps, and the next one of ${repository} is ${next}, not ${number}`,
      );
    } else if (present?.title !== title.trim() || present.isPull !== (issue.asPull !== undefined)) {
      problems.push(
        `${place}.number: ${repository}#${number} is there and ${present === undefined ? "was deleted" : `is "${clip(present.title, 80)}"`}; the next number is ${next}`,
      );
    }
    return false;
  });
  refuseIf(problems);
  const known = await look(tx, repositories, added);
  const resolved = added.map((issue) => resolve(issue, known, problems));
  refuseIf(problems);
  await write(work, resolved);
  await writeNumbers(tx, numbers);
  const all = countComments(issues);
  const made = countComments(added);
  return {
    issues: { made: added.length, skipped: issues.length - added.length },
    comments: { made, skipped: all - made },
  };
}

function countComments(issues: readonly IssueToSeed[]): number {
  return issues.reduce((sum, { comments }) => sum + comments.length, 0);
}

function refuseIf(problems: readonly string[]): void {
  if (problems.length > 0) {
    throw new SeedError(problems);
  }
}

async function look(
  tx: Work["tx"],
  repositories: Map<string, SeededRepository>,
  issues: readonly IssueToSeed[],
): Promise<Known> {
  const used = new Map(
    issues.map(({ repository }) => [repository.toLowerCase(), repositories.get(repository.toLowerCase())]),
  );
  const targets = [...used.values()].flatMap((target) => target ?? []);
  const repositoryIds = targets.map(({ id }) => id);
  const organizationIds = targets.filter(({ owner }) => owner.kind === "organization").map(({ owner }) => owner.id);
  const users = await findUsers(
    tx,
    issues.flatMap(({ author, assignees, comments }) => [
      ...[author, ...comments.map((comment) => comment.author)].filter((name) => typeof name === "string"),
      ...assignees,
    ]),
  );
  const assignable = new Map<number, Set<number>>();
  for (const target of targets) {
    const names = issues
      .filter(({ repository }) => repository.toLowerCase() === target.key)
      .flatMap(({ assignees }) => assignees);
    const ids = [...new Set(names.flatMap((name) => users.get(name.toLowerCase())?.id ?? []))];
    if (ids.length > 0) {
      assignable.set(target.id, await findAssignableIds(tx, target, ids));
    }
  }
  return {
    repositories,
    users,
    firstOwners: organizationIds.length === 0 ? new Map() : await findFirstOwners(tx, organizationIds),
    labels: await findLabelsNamed(tx, { repositoryIds, ownerIds: organizationIds }, [
      ...new Set(issues.flatMap(({ labels }) => labels)),
    ]),
    milestones: await findMilestonesTitled(tx, repositoryIds, [
      ...new Set(issues.flatMap(({ milestone }) => milestone ?? [])),
    ]),
    assignable,
  };
}

/** Follows the names of one issue. What leads nowhere is added to `problems`. */
function resolve(issue: IssueToSeed, known: Known, problems: string[]): Resolved {
  const { place } = issue;
  const target = known.repositories.get(issue.repository.toLowerCase());
  if (target === undefined) {
    throw new Error(`The repository of ${place} was there a moment ago`);
  }
  const { owner } = target;
  const authorOf = (given: string | BroughtAuthor, field: string): Author => {
    if (typeof given !== "string") {
      return given;
    }
    const user = known.users.get(given.toLowerCase());
    if (user === undefined) {
      problems.push(`${place}.${field}: there is no user "${clip(given, 80)}"`);
    }
    return writtenHere(user?.id ?? null);
  };
  const author =
    issue.author !== undefined
      ? authorOf(issue.author, "author")
      : writtenHere(owner.kind === "user" ? owner.id : (known.firstOwners.get(owner.id) ?? null));
  const labels = issue.labels.flatMap((name, index) => {
    const held = known.labels.filter(
      (row) => row.name === name && (row.repositoryId === target.id || row.ownerId === owner.id),
    );
    // Where the organization has a label of the same name, the repository's is meant.
    const found = held.find((row) => row.repositoryId !== null) ?? held[0];
    if (found === undefined) {
      problems.push(`${place}.labels[${index}]: ${issue.repository} has no label "${clip(name, 80)}"`);
    }
    return found ?? [];
  });
  const assigneeIds = issue.assignees.flatMap((name, index) => {
    const id = known.users.get(name.toLowerCase())?.id ?? 0;
    if (known.assignable.get(target.id)?.has(id) !== true) {
      problems.push(
        `${place}.assignees[${index}]: nothing can be assigned to "${clip(name, 80)}" in ${issue.repository}`,
      );
    }
    return id;
  });
  const milestone = known.milestones.find((row) => row.repositoryId === target.id && row.title === issue.milestone);
  if (issue.milestone !== null && milestone === undefined) {
    problems.push(`${place}.milestone: ${issue.repository} has no milestone "${clip(issue.milestone, 80)}"`);
  }
  checkIssue(issue, labels, problems);
  return {
    issue,
    repositoryId: target.id,
    author,
    labels,
    assigneeIds,
    milestoneId: milestone?.id ?? null,
    commentAuthors: issue.comments.map((comment, index) =>
      comment.author === undefined ? author : authorOf(comment.author, `comments[${index}].author`),
    ),
  };
}

/** The rules that bind every issue. */
function checkIssue(issue: IssueToSeed, labels: readonly LabelRow[], problems: string[]): void {
  const { place } = issue;
  try {
    checkTitle(issue.title);
    checkScopes(labels, "labels");
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    problems.push(`${place}.${error.field ?? ""}: ${error.message}`);
  }
  for (const field of ["labels", "assignees"] as const) {
    if (issue[field].length > mostPerIssue) {
      problems.push(`${place}.${field}: an issue has at most ${mostPerIssue}`);
    }
  }
}

async function write(work: Work, resolved: readonly Resolved[]): Promise<void> {
  const { tx } = work;
  if (resolved.length === 0) {
    return;
  }
  const now = new Date();
  const ids = await insertIssueRows(
    tx,
    resolved.map(({ issue, repositoryId, author, milestoneId }) => {
      const createdAt = issue.createdAt ?? now;
      const closedAt = issue.closed ? (issue.closedAt ?? now) : null;
      return {
        repositoryId,
        number: issue.number,
        isPull: issue.asPull !== undefined,
        title: issue.title.trim(),
        body: issue.body,
        authorId: author.authorId,
        originalAuthor: author.originalAuthor,
        originalAuthorId: author.originalAuthorId,
        closedAt,
        // The user who closed it elsewhere is unknown.
        closedById: issue.closed && author.originalAuthor === "" ? author.authorId : null,
        lockedAt: issue.locked ? now : null,
        milestoneId,
        dueAt: issue.dueAt,
        ref: issue.ref,
        createdAt,
        updatedAt: closedAt !== null && closedAt > createdAt ? closedAt : createdAt,
      };
    }),
  );
  const all = resolved.map((one, index) => ({ ...one, id: ids[index] ?? 0 }));
  for (const { id, issue } of all) {
    await issue.asPull?.(work, id);
  }
  // A trigger counts them, and moves the time of the last change.
  await insertCommentRows(
    tx,
    all.flatMap(({ id, repositoryId, issue, commentAuthors }) =>
      issue.comments.map(({ body, createdAt }, index) => ({
        repositoryId,
        issueId: id,
        authorId: commentAuthors[index]?.authorId ?? null,
        originalAuthor: commentAuthors[index]?.originalAuthor ?? "",
        originalAuthorId: commentAuthors[index]?.originalAuthorId ?? 0,
        body,
        createdAt: createdAt ?? now,
      })),
    ),
  );
  await insertLabelPairs(
    tx,
    all.flatMap(({ id, labels }) => labels.map((label) => [id, label.id] as const)),
  );
  await insertAssigneePairs(
    tx,
    all.flatMap(({ id, assigneeIds }) => assigneeIds.map((userId) => [id, userId] as const)),
  );
  await insertMentionPairs(
    tx,
    all.flatMap(({ id, issue }) =>
      [issue.title, issue.body, ...issue.comments.map(({ body }) => body)]
        .flatMap(mentionedNames)
        .map((name) => [id, name] as const),
    ),
  );
}
