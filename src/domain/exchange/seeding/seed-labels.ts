import type { Work } from "../../spine/work.ts";
import {
  findLabelsNamed,
  findMilestonesTitled,
  findOwners,
  findRepositories,
  insertLabelRows,
  insertMilestoneRows,
  type LabelColumns,
  type MilestoneColumns,
} from "./queries.ts";
import { SeedError } from "./seed-error.ts";
import type { Seeded } from "./seeded.ts";

/** A label of a seed. `place` says where it stands there; exactly one of `repository` and `organization` is set. */
export interface LabelToSeed {
  place: string;
  /** `owner/name` */
  repository?: string | undefined;
  organization?: string | undefined;
  name: string;
  /** Three or six hexadecimal digits, with "#" or without. */
  color: string;
  description?: string | undefined;
  exclusive?: boolean | undefined;
}

export interface MilestoneToSeed {
  place: string;
  /** `owner/name` */
  repository: string;
  title: string;
  description?: string | undefined;
  dueAt: Date | null;
  closed: boolean;
}

/** The key of a label. */
function labelKey({ repositoryId, ownerId, name }: Pick<LabelColumns, "repositoryId" | "ownerId" | "name">): string {
  return `${repositoryId ?? ""}/${ownerId ?? ""}/${name}`;
}

function milestoneKey({ repositoryId, title }: Pick<MilestoneColumns, "repositoryId" | "title">): string {
  return `${repositoryId}/${title}`;
}

function sixDigits(color: string): string {
  const digits = color.replace("#", "").toLowerCase();
  return digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
}

/**
 * Makes labels, without telling anybody. One whose name the repository or organization has already is left as it is. Throws
 * SeedError with all problems.
 */
export async function seedLabels({ tx }: Work, labels: readonly LabelToSeed[]): Promise<Seeded> {
  const repositories = await findRepositories(
    tx,
    labels.flatMap(({ repository }) => repository ?? []),
  );
  const owners = await findOwners(
    tx,
    labels.flatMap(({ organization }) => organization ?? []),
  );
  const problems: string[] = [];
  const wanted: LabelColumns[] = [];
  for (const { place, repository, organization, name, color, description = "", exclusive = false } of labels) {
    const holder = organization === undefined ? undefined : owners.get(organization.toLowerCase());
    const repositoryId = repository === undefined ? null : (repositories.get(repository.toLowerCase())?.id ?? null);
    const ownerId = holder?.kind === "organization" ? holder.id : null;
    if (repositoryId === null && ownerId === null) {
      problems.push(
        repository === undefined
          ? `${place}.organization: there is no organization "${organization}"`
          : `${place}.repository: there is no repository "${repository}"`,
      );
      continue;
    }
    wanted.push({ repositoryId, ownerId, name, color: sixDigits(color), description, exclusive });
  }
  if (problems.length > 0) {
    throw new SeedError(problems);
  }
  const present = await findLabelsNamed(
    tx,
    {
      repositoryIds: wanted.flatMap((one) => one.repositoryId ?? []),
      ownerIds: wanted.flatMap((one) => one.ownerId ?? []),
    },
    wanted.map(({ name }) => name),
  );
  const added = onlyNew(wanted, labelKey, present.map(labelKey));
  await insertLabelRows(tx, added);
  return { made: added.length, skipped: labels.length - added.length };
}

/** Makes milestones. A milestone whose title exists in the repository stays unchanged. */
export async function seedMilestones({ tx }: Work, milestones: readonly MilestoneToSeed[]): Promise<Seeded> {
  const repositories = await findRepositories(
    tx,
    milestones.map(({ repository }) => repository),
  );
  const missing = milestones.filter(({ repository }) => !repositories.has(repository.toLowerCase()));
  if (missing.length > 0) {
    throw new SeedError(
      missing.map(({ place, repository }) => `${place}.repository: there is no repository "${repository}"`),
    );
  }
  const wanted = milestones.map(({ repository, title, description = "", dueAt, closed }): MilestoneColumns => ({
    repositoryId: repositories.get(repository.toLowerCase())?.id ?? 0,
    title,
    description,
    dueAt,
    closedAt: closed ? new Date() : null,
  }));
  const present = await findMilestonesTitled(
    tx,
    wanted.map(({ repositoryId }) => repositoryId),
    wanted.map(({ title }) => title),
  );
  const added = onlyNew(wanted, milestoneKey, present.map(milestoneKey));
  await insertMilestoneRows(tx, added);
  return { made: added.length, skipped: milestones.length - added.length };
}

/** Returns the items without a present key, each key once. */
function onlyNew<One>(wanted: readonly One[], keyOf: (one: One) => string, present: readonly string[]): One[] {
  const seen = new Set(present);
  return wanted.filter((one) => {
    const key = keyOf(one);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
