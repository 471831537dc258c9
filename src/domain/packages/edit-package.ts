import type { RepositoryAccess } from "../../auth/subject.ts";
import { StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { NotFound } from "../spine/errors.ts";
import { namedOwner, namedRepository, type NamedOwner } from "../spine/events/names.ts";
import type { Work } from "../spine/work.ts";
import {
  deleteFileRow,
  deleteVersionRow,
  findFile,
  findLinked,
  lastVersion,
  linkPackageRow,
  lockPackage,
  type FoundVersion,
  type PackageRow,
} from "./queries.ts";

/** A package is linked to a repository, or is not, and the caller asked for what is so already. */
class LinkUnchanged extends StithyError {
  constructor(message: string) {
    super("malformed", "package-link-unchanged", message);
  }
}

async function getLocked(work: Work, { id, name }: PackageRow): Promise<PackageRow> {
  const row = await lockPackage(work.tx, id);
  if (row === null) {
    throw new NotFound("package", clip(name, 80));
  }
  return row;
}

function named({ id, type, name }: PackageRow, version: string) {
  return { id, type: type, name, version };
}

/** Deletes a version with its files, and its package with the last one. Throws NotFound. */
export async function deleteVersion(work: Work, owner: NamedOwner, found: FoundVersion): Promise<void> {
  const row = await getLocked(work, found.package);
  const repository = await findLinked(work.tx, row);
  if (!(await deleteVersionRow(work.tx, row.id, found.version.id))) {
    throw new NotFound("version", clip(found.version.version, 80));
  }
  work.tell({
    kind: "package.deleted",
    owner: namedOwner(owner),
    package: named(row, found.version.version),
    version: lastVersion(found.version),
    repository,
  });
}

/** Deletes a file of a version, and the version with the last one. Throws NotFound. */
export async function deleteFile(
  work: Work,
  owner: NamedOwner,
  found: FoundVersion,
  asked: { name: string; place?: string },
): Promise<void> {
  const locked = await getLocked(work, found.package);
  const row = await findFile(work.tx, found.version.id, asked);
  const left = row === null ? null : await deleteFileRow(work.tx, found.version.id, row.id);
  if (row === null || left === null) {
    throw new NotFound("file", clip(asked.name, 80));
  }
  if (left === 0) {
    await deleteVersion(work, owner, found);
    return;
  }
  work.tell({
    kind: "package-file.deleted",
    owner: namedOwner(owner),
    package: named(locked, found.version.version),
    file: { id: row.id, name: row.name, bytes: row.bytes },
  });
}

/** Links a package to a repository of its owner: from then on it is as private as that. Throws NotFound. */
export async function linkPackage(
  work: Work,
  owner: NamedOwner,
  found: PackageRow,
  access: Pick<RepositoryAccess, "repository" | "owner">,
): Promise<void> {
  const row = await getLocked(work, found);
  if (row.repositoryId === access.repository.id) {
    throw new LinkUnchanged(`The package is linked to "${access.owner.name}/${access.repository.name}" already`);
  }
  await linkPackageRow(work.tx, row.id, access.repository.id);
  work.tell({
    kind: "package.linked",
    owner: namedOwner(owner),
    package: { id: row.id, type: row.type, name: row.name },
    repository: namedRepository(access),
  });
}

/** Takes a package's link to a repository away, also to one that is gone: everybody who may read the owner's packages sees it then. Throws NotFound. */
export async function unlinkPackage(work: Work, owner: NamedOwner, found: PackageRow): Promise<void> {
  const row = await getLocked(work, found);
  if (row.repositoryId === null && !row.insidersOnly) {
    throw new LinkUnchanged("The package is linked to no repository");
  }
  await linkPackageRow(work.tx, row.id, null);
  work.tell({
    kind: "package.unlinked",
    owner: namedOwner(owner),
    package: { id: row.id, type: row.type, name: row.name },
  });
}
