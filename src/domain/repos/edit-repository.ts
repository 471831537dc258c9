import type { OwnerRow, RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { recordRenamedRepository } from "../activities/record.ts";
import { NotFound, RepositoryArchived } from "../errors.ts";
import { checkRepositoryName } from "../names.ts";
import { checkBranchSetting, checkDescription } from "./create-repository.ts";
import { deleteRedirect, hasBranch, insertRedirect, lockRepositoryRow, updateRepository, type RepositoryColumns } from "./queries.ts";

/** Everything about a repository that may be changed; absent fields stay as they are. */
export type RepositoryPatch = Partial<Omit<RepositoryColumns, "ownerId" | "objectFormat" | "empty" | "archivedAt" | "topics">> & {
  archived?: boolean;
};

const units = ["hasCode", "hasIssues", "hasPullRequests", "hasReleases", "hasWiki", "hasPackages", "hasProjects", "hasActions"] as const;

/**
 * Checks one patch of what `actorId` wants and writes it. Throws InvalidInput naming the field, NotFound when the repository is gone, and
 * RepositoryArchived unless the patch ends that.
 */
export async function editRepository(tx: Transaction, actorId: number, owner: OwnerRow, id: number, patch: RepositoryPatch): Promise<RepositoryRow> {
  const current = await lockRepositoryRow(tx, id);
  if (current === null) {
    throw new NotFound("repository", String(id));
  }
  const { archived, ...columns } = patch;
  if (current.archivedAt !== null && archived !== false) {
    throw new RepositoryArchived(current.name);
  }
  if (columns.description !== undefined) {
    checkDescription(columns.description);
  }
  if (units.every((unit) => !(columns[unit] ?? current[unit]))) {
    throw new InvalidInput("At least one part of the repository must stay enabled", "has_code");
  }
  await checkBranches(tx, current, columns);
  const archivedAt = archived === undefined ? {} : { archivedAt: archived ? (current.archivedAt ?? new Date()) : null };
  try {
    await rename(tx, current, columns.name);
    const row = await updateRepository(tx, id, { ...columns, ...archivedAt });
    if (row === null) {
      throw new NotFound("repository", current.name);
    }
    if (row.name !== current.name) {
      await recordRenamedRepository(tx, actorId, id, `${owner.name}/${current.name}`);
    }
    return row;
  } catch (error) {
    throw violatesUnique(error, "repository_owner_name") ? new InvalidInput(`The repository "${owner.name}/${columns.name}" already exists`, "name") : error;
  }
}

async function checkBranches(tx: Transaction, current: RepositoryRow, columns: Partial<RepositoryColumns>): Promise<void> {
  const { defaultBranch, wikiBranch } = columns;
  if (defaultBranch !== undefined && defaultBranch !== current.defaultBranch) {
    checkBranchSetting(defaultBranch, "default_branch");
    if (!current.empty && !(await hasBranch(tx, current.id, defaultBranch))) {
      throw new InvalidInput(`There is no branch "${defaultBranch}" that could be the default one`, "default_branch");
    }
  }
  if (wikiBranch !== undefined && wikiBranch !== current.wikiBranch) {
    checkBranchSetting(wikiBranch, "wiki_branch");
  }
}

/** The old name leads to the repository from now on, and the new one nowhere else. */
async function rename(tx: Transaction, current: RepositoryRow, name: string | undefined): Promise<void> {
  if (name === undefined || name === current.name) {
    return;
  }
  checkRepositoryName(name);
  if (name.toLowerCase() !== current.lowerName) {
    await deleteRedirect(tx, current.ownerId, name);
    await insertRedirect(tx, current.ownerId, current.name, current.id);
  }
}
