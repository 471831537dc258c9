import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { compileNamePattern } from "../../../lib/name-pattern.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { lockRules } from "./edit-branch-protection.ts";
import { readList, type ListInput } from "./lists.ts";
import {
  countTagProtections,
  deleteTagProtectionRow,
  findTagProtection,
  hasTagPattern,
  insertTagProtection,
  replaceTagTeams,
  replaceTagUsers,
  updateTagProtection,
  type TagProtection,
} from "./queries.ts";

type Place = Pick<RepositoryAccess, "repository" | "owner">;

/** Protections of tags that a repository may have. */
const mostProtections = 100;
const longestPattern = 255;
const fields = { users: "whitelist_usernames", teams: "whitelist_teams" };

/**
 * Makes a rule for tags; with nobody on its list, tags that match stay as they are. Throws InvalidInput, naming the field,
 * NotFound when the repository is gone.
 */
export async function createTagProtection(
  work: Work,
  access: Place,
  namePattern: string,
  list: ListInput,
): Promise<TagProtection> {
  const { id: repositoryId } = access.repository;
  checkPattern(namePattern);
  await lockRules(work, access);
  if ((await countTagProtections(work.tx, repositoryId)) >= mostProtections) {
    throw new InvalidInput(`A repository has at most ${mostProtections} protections of tags`, "name_pattern");
  }
  await checkUnused(work, repositoryId, namePattern, null);
  const { id } = await insertTagProtection(work.tx, repositoryId, namePattern);
  await writeList(work, access, id, list);
  return getTagProtection(work, access, id);
}

/** Changes a rule for tags; what is absent stays. `seen` as in `editBranchProtection`. Throws NotFound, Conflict, InvalidInput naming the field. */
export async function editTagProtection(
  work: Work,
  access: Place,
  id: number,
  change: ListInput & { namePattern?: string | undefined },
  seen?: Date,
): Promise<TagProtection> {
  if (change.namePattern !== undefined) {
    checkPattern(change.namePattern);
  }
  await lockRules(work, access);
  const { row } = await getTagProtection(work, access, id);
  if (seen !== undefined && seen.getTime() !== row.updatedAt.getTime()) {
    throw new Conflict("Somebody else changed this protection meanwhile");
  }
  if (change.namePattern !== undefined) {
    await checkUnused(work, access.repository.id, change.namePattern, id);
  }
  await updateTagProtection(work.tx, id, change.namePattern);
  await writeList(work, access, id, change);
  return getTagProtection(work, access, id);
}

/** Deletes a rule for tags. Throws NotFound. */
export async function deleteTagProtection(work: Work, access: Place, id: number): Promise<void> {
  await lockRules(work, access);
  await getTagProtection(work, access, id);
  await deleteTagProtectionRow(work.tx, id);
}

async function getTagProtection(work: Work, { repository }: Place, id: number): Promise<TagProtection> {
  const found = await findTagProtection(work.tx, repository.id, id);
  if (found === null) {
    throw new NotFound("tag protection", String(id));
  }
  return found;
}

async function writeList(work: Work, access: Place, id: number, input: ListInput): Promise<void> {
  const { users, teams } = await readList(work.tx, access, input, { list: "push", fields });
  if (users !== undefined) {
    await replaceTagUsers(work.tx, id, users);
  }
  if (teams !== undefined) {
    await replaceTagTeams(work.tx, id, teams);
  }
}

/** Throws InvalidInput. In the family a pattern between slashes is a regular expression; here there are none. */
function checkPattern(pattern: string): void {
  if (pattern === "" || pattern.length > longestPattern || /\p{Cc}/u.test(pattern)) {
    throw new InvalidInput(
      `name_pattern must have 1 to ${longestPattern} characters, and no control characters among them`,
      "name_pattern",
    );
  }
  if (pattern.startsWith("/")) {
    throw new InvalidInput(
      "name_pattern must not begin with a slash: it is a pattern such as v* or release/**, and no regular expression",
      "name_pattern",
    );
  }
  compileNamePattern(pattern, "name_pattern");
}

async function checkUnused(work: Work, repositoryId: number, pattern: string, exceptId: number | null): Promise<void> {
  if (await hasTagPattern(work.tx, repositoryId, pattern, exceptId)) {
    throw new InvalidInput(`name_pattern: there is a protection of "${pattern.slice(0, 80)}" already`, "name_pattern");
  }
}
