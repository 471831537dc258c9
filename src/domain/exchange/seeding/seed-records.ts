import type { IssueToSeed } from "./seed-issues.ts";
import type { LabelToSeed, MilestoneToSeed } from "./seed-labels.ts";
import type { Seed, SeedIssue, SeedMilestone, SeedOrganization, SeedRepository, SeedUser } from "./seed.ts";

interface SeedValues {
  users: SeedUser;
  organizations: SeedOrganization;
  repositories: SeedRepository;
  labels: LabelToSeed;
  milestones: MilestoneToSeed;
  issues: IssueToSeed;
}

export type SeedKind = keyof SeedValues;

/** One thing of this kind with the place where it stands, such as `line 3: issues[2]`. */
export interface RecordOf<Kind extends SeedKind> {
  readonly kind: Kind;
  readonly place: string;
  readonly value: SeedValues[Kind];
}

/** One thing of a seed. */
export type SeedRecord = { [Kind in SeedKind]: RecordOf<Kind> }[SeedKind];

/** The records of one kind. */
export function ofKind<Kind extends SeedKind>(records: readonly SeedRecord[], kind: Kind): RecordOf<Kind>[] {
  return records.flatMap((record) => (record.kind === kind ? (record as RecordOf<SeedKind> as RecordOf<Kind>) : []));
}

/** The values of the records of one kind. */
export function valuesOf<Kind extends SeedKind>(records: readonly SeedRecord[], kind: Kind): SeedValues[Kind][] {
  return ofKind(records, kind).map(({ value }) => value);
}

/** The numbers that a seed's issues got last, by repository: those that say none go on from there. */
export type LastNumbers = Map<string, number>;

/** The things of a seed, in the order in which each can refer to those before it. `prefix` begins each place. */
export function* recordsOf(seed: Seed, prefix: string, numbers: LastNumbers): Generator<SeedRecord> {
  const placeOf = (kind: SeedKind, index: number) => `${prefix}${kind}[${index}]`;
  for (const [index, value] of (seed.users ?? []).entries()) {
    yield { kind: "users", place: placeOf("users", index), value };
  }
  for (const [index, value] of (seed.organizations ?? []).entries()) {
    yield { kind: "organizations", place: placeOf("organizations", index), value };
  }
  for (const [index, value] of (seed.repositories ?? []).entries()) {
    yield { kind: "repositories", place: placeOf("repositories", index), value };
  }
  for (const [index, label] of (seed.labels ?? []).entries()) {
    const place = placeOf("labels", index);
    yield { kind: "labels", place, value: { ...label, place } };
  }
  for (const [index, milestone] of (seed.milestones ?? []).entries()) {
    const place = placeOf("milestones", index);
    yield { kind: "milestones", place, value: milestoneOf(milestone, place) };
  }
  for (const [index, issue] of (seed.issues ?? []).entries()) {
    const place = placeOf("issues", index);
    const key = issue.repository.toLowerCase();
    const number = issue.number ?? (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    yield { kind: "issues", place, value: issueOf(issue, place, number) };
  }
}

function instantOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}

function milestoneOf(
  { repository, title, description, due_date, state }: SeedMilestone,
  place: string,
): MilestoneToSeed {
  return { place, repository, title, description, dueAt: instantOf(due_date), closed: state === "closed" };
}

function issueOf(issue: SeedIssue, place: string, number: number): IssueToSeed {
  return {
    place,
    repository: issue.repository,
    number,
    title: issue.title,
    body: issue.body ?? "",
    author: issue.author,
    labels: issue.labels ?? [],
    assignees: issue.assignees ?? [],
    milestone: issue.milestone ?? null,
    ref: issue.ref ?? "",
    closed: issue.state === "closed",
    locked: issue.locked ?? false,
    dueAt: instantOf(issue.due_date),
    createdAt: instantOf(issue.created_at),
    closedAt: instantOf(issue.closed_at),
    comments: (issue.comments ?? []).map(({ body, author, created_at }) => ({
      body,
      author,
      createdAt: instantOf(created_at),
    })),
  };
}
