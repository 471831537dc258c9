import type { OwnerRow, RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import type { Transaction } from "../../db/client.ts";
import { violatesUnique } from "../../db/pg-errors.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { Conflict, NotFound, RepositoryArchived } from "../spine/errors.ts";
import { isForkOfHidden } from "./fork-queries.ts";
import { namedRepository } from "../spine/events/names.ts";
import { lockRepositoryRow } from "../spine/lock-queries.ts";
import type { Work } from "../spine/work.ts";
import { checkRepositoryName } from "../identity/owners/names.ts";
import { checkBranchSetting, checkDescription } from "./create-repository.ts";
import { deleteRedirect, insertRedirect, updateRepository, type RepositoryColumns } from "./queries.ts";
import { hasBranch } from "../git/refs/queries.ts";
import { renameWikiBranch } from "../git/refs/rename-wiki-branch.ts";

/** Everything about a repository that may be changed; absent fields stay as they are. */
export type RepositoryPatch = Partial<
  Omit<RepositoryColumns, "ownerId" | "objectFormat" | "empty" | "archivedAt" | "topics" | "avatarSha256">
> & {
  archived?: boolean;
};

const units = [
  "hasCode",
  "hasIssues",
  "hasPullRequests",
  "hasReleases",
  "hasWiki",
  "hasPackages",
  "hasProjects",
  "hasActions",
] as const;

/** Somebody else changed what the caller is about to change, after they looked at it. */
export class EditedMeanwhile extends Conflict {
  constructor(readonly columns: readonly string[]) {
    super("Somebody else changed the same meanwhile", { columns });
  }
}

/**
 * Checks one patch and writes it. `seen`: the values that the caller saw; what somebody else changed since is not written over. Throws InvalidInput
 * naming the field, NotFound when the repository is gone, EditedMeanwhile, and RepositoryArchived unless the patch ends that.
 */
export async function editRepository(
  work: Work,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  patch: RepositoryPatch,
  seen: Readonly<Partial<RepositoryPatch>> = {},
): Promise<RepositoryRow> {
  const { tx } = work;
  const { id } = repository;
  const fullName = `${owner.name}/${repository.name}`;
  const current = await lockRepositoryRow(tx, id);
  if (current === null) {
    throw new NotFound("repository", fullName);
  }
  const { archived, ...columns } = patch;
  if (current.archivedAt !== null && archived !== false) {
    throw new RepositoryArchived(fullName);
  }
  demandUnmoved(current, columns, seen);
  if (columns.description !== undefined) {
    checkDescription(columns.description);
  }
  if (units.every((unit) => !(columns[unit] ?? current[unit]))) {
    throw new InvalidInput("At least one part of the repository must stay enabled", "has_code");
  }
  if (columns.private === false && current.private && (await isForkOfHidden(tx, id))) {
    throw new InvalidInput(
      `"${fullName}" is a fork of a repository that fewer people may see, so it stays private`,
      "private",
    );
  }
  await checkBranches(tx, current, columns);
  const archivedAt = archived === undefined ? {} : { archivedAt: archived ? (current.archivedAt ?? new Date()) : null };
  try {
    await rename(tx, current, columns.name);
    const row = await updateRepository(tx, id, { ...columns, ...archivedAt });
    if (row === null) {
      throw new NotFound("repository", fullName);
    }
    tellEdited(work, owner, current, row);
    if (row.wikiBranch !== current.wikiBranch) {
      await renameWikiBranch(work, { repository: row, owner }, current.wikiBranch);
    }
    return row;
  } catch (error) {
    throw violatesUnique(error, "repository_owner_name")
      ? new InvalidInput(`The repository "${owner.name}/${columns.name}" already exists`, "name")
      : error;
  }
}

function demandUnmoved(
  current: RepositoryRow,
  columns: Partial<RepositoryColumns>,
  seen: Readonly<Partial<RepositoryPatch>>,
): void {
  const names = Object.keys(columns) as (keyof typeof columns & keyof RepositoryPatch)[];
  const moved = names.filter(
    (name) => seen[name] !== undefined && current[name] !== seen[name] && current[name] !== columns[name],
  );
  if (moved.length > 0) {
    throw new EditedMeanwhile(moved);
  }
}

/** Columns that have events of their own, or follow from others. */
const notEdited = new Set(["name", "lowerName", "archivedAt", "updatedAt"]);

function tellEdited({ tell }: Work, owner: OwnerRow, before: RepositoryRow, row: RepositoryRow): void {
  const named = namedRepository({ repository: row, owner });
  const columns = Object.keys(row) as (keyof RepositoryRow)[];
  const changed = columns.filter((column) => row[column] !== before[column] && !notEdited.has(column));
  if (changed.length > 0) {
    tell({ kind: "repository.edited", repository: named, changed });
  }
  if (row.name !== before.name) {
    tell({ kind: "repository.renamed", repository: named, oldName: before.name });
  }
  if ((row.archivedAt === null) !== (before.archivedAt === null)) {
    tell({ kind: row.archivedAt === null ? "repository.unarchived" : "repository.archived", repository: named });
  }
}

async function checkBranches(
  tx: Transaction,
  current: RepositoryRow,
  columns: Partial<RepositoryColumns>,
): Promise<void> {
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
