import type { RepositoryAccess } from "../../../auth/subject.ts";
import { protectionLists, type ProtectionList } from "../../../db/schema/protections.ts";
import { isBranchName } from "../../../git/refs/ref-name.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { compileFilePatterns, compileNamePattern, isPlainName, splitFilePatterns } from "../../../lib/name-pattern.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { listFields, readList, type ListInput } from "./lists.ts";
import {
  countBranchProtections,
  deleteBranchProtectionRow,
  findBranchProtection,
  insertBranchProtection,
  lastPriority,
  listBranchProtectionIds,
  replaceListedTeams,
  replaceListedUsers,
  updateBranchProtection,
  writePriorities,
  type BranchProtection,
  type BranchProtectionRow,
} from "./queries.ts";

type Place = Pick<RepositoryAccess, "repository" | "owner">;

/** The columns of a rule apart from its name and its lists; absent columns stay unchanged, or are off in a new rule. */
export type BranchProtectionColumns = Partial<
  Omit<BranchProtectionRow, "id" | "repositoryId" | "ruleName" | "createdAt" | "updatedAt">
>;

/** A rule as a caller gives it. An absent list stays as it is. */
export interface BranchProtectionInput {
  columns: BranchProtectionColumns;
  lists: Readonly<Partial<Record<ProtectionList, ListInput>>>;
}

/** Protections of branches that a repository may have. Each is tried for each branch. */
const mostProtections = 100;
const longestName = 255;
const mostFilePatterns = 100;
const longestFilePatterns = 4000;

/** Makes a rule for branches. Throws InvalidInput, naming the field, NotFound when the repository is gone. */
export async function createBranchProtection(
  work: Work,
  access: Place,
  ruleName: string,
  input: BranchProtectionInput,
): Promise<BranchProtection> {
  const { tx } = work;
  const { id: repositoryId } = access.repository;
  checkRuleName(ruleName);
  checkColumns(input.columns);
  await lockRules(work, access);
  if ((await countBranchProtections(tx, repositoryId)) >= mostProtections) {
    throw new InvalidInput(`A repository has at most ${mostProtections} protections of branches`, "rule_name");
  }
  if ((await findBranchProtection(tx, repositoryId, ruleName)) !== null) {
    throw new InvalidInput(`rule_name: there is a protection "${ruleName.slice(0, 80)}" already`, "rule_name");
  }
  // Zero is what programs send that know of no priority.
  const priority = input.columns.priority || (await lastPriority(tx, repositoryId)) + 1;
  const row = await insertBranchProtection(tx, { ...input.columns, repositoryId, ruleName, priority });
  await writeLists(work, access, row.id, input);
  return getSatisfiable(work, access, ruleName, input, protectionLists);
}

/** Changes a rule. `seen`: when it had been changed last when the caller saw it. Throws NotFound, Conflict, InvalidInput naming the field. */
export async function editBranchProtection(
  work: Work,
  access: Place,
  ruleName: string,
  input: BranchProtectionInput,
  seen?: Date,
): Promise<BranchProtection> {
  checkColumns(input.columns);
  await lockRules(work, access);
  const found = await getBranchProtection(work, access, ruleName);
  if (seen !== undefined && seen.getTime() !== found.row.updatedAt.getTime()) {
    throw new Conflict(`Somebody else changed the protection "${ruleName.slice(0, 80)}" meanwhile`);
  }
  await updateBranchProtection(work.tx, found.row.id, input.columns);
  await writeLists(work, access, found.row.id, input);
  // A list may have lost its last member since; then it does not keep anybody from changing something else.
  const edited = await getSatisfiable(work, access, ruleName, input, listsIn(input));
  work.tell({ kind: "branch-protection.edited", repository: namedRepository(access) });
  return edited;
}

/** Deletes a rule. Throws NotFound. */
export async function deleteBranchProtection(work: Work, access: Place, ruleName: string): Promise<void> {
  await lockRules(work, access);
  const { row } = await getBranchProtection(work, access, ruleName);
  await deleteBranchProtectionRow(work.tx, row.id);
  work.tell({ kind: "branch-protection.deleted", repository: namedRepository(access) });
}

/**
 * Puts rules in this order, by their ids; those that are not named come behind, in the order that they have. `seen`: the order that the
 * caller saw. Throws InvalidInput, Conflict. */
export async function orderBranchProtections(
  work: Work,
  access: Place,
  ids: readonly number[],
  seen?: readonly number[],
): Promise<void> {
  await lockRules(work, access);
  const known = await listBranchProtectionIds(work.tx, access.repository.id);
  if (seen !== undefined && seen.join() !== known.join()) {
    throw new Conflict("Somebody else changed the order of the protections meanwhile");
  }
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new InvalidInput(`ids has ${unknown}, and the repository has no protection of branches with this id`, "ids");
  }
  if (new Set(ids).size < ids.length) {
    throw new InvalidInput("ids names a protection twice", "ids");
  }
  await writePriorities(work.tx, [...ids, ...known.filter((id) => !ids.includes(id))]);
}

/** Gives the rule of a branch that is renamed the branch's new name. */
export async function renameBranchProtection(
  work: Work,
  access: Place,
  row: { id: number },
  ruleName: string,
): Promise<void> {
  await updateBranchProtection(work.tx, row.id, { ruleName });
  work.tell({ kind: "branch-protection.edited", repository: namedRepository(access) });
}

/**
 * Locks the row that pushes hold while they apply rules, so that rules do not change during a push. Throws NotFound.
 */
export async function lockRules(work: Work, { repository, owner }: Place): Promise<void> {
  if (!(await lockRepository(work.tx, repository.id))) {
    throw new NotFound("repository", `${owner.name}/${repository.name}`);
  }
  await work.lookAgainLocked(repository.id);
}

async function getBranchProtection(work: Work, { repository }: Place, ruleName: string): Promise<BranchProtection> {
  const found = await findBranchProtection(work.tx, repository.id, ruleName);
  if (found === null) {
    throw new NotFound("branch protection", ruleName);
  }
  return found;
}

async function writeLists(
  work: Work,
  access: Place,
  protectionId: number,
  { lists }: BranchProtectionInput,
): Promise<void> {
  for (const list of protectionLists) {
    const { users, teams } = await readList(work.tx, access, lists[list] ?? {}, { list, fields: listFields[list] });
    if (users !== undefined) {
      await replaceListedUsers(work.tx, protectionId, list, users);
    }
    if (teams !== undefined) {
      await replaceListedTeams(work.tx, protectionId, list, teams);
    }
  }
}

/** Returns the rule as it has become. Throws what `checkSatisfiable` throws. */
async function getSatisfiable(
  work: Work,
  access: Place,
  ruleName: string,
  { columns }: BranchProtectionInput,
  lists: readonly ProtectionList[],
): Promise<BranchProtection> {
  const made = await getBranchProtection(work, access, ruleName);
  checkSatisfiable(made, lists, columns);
  return made;
}

function checkRuleName(name: string): void {
  if (name.length > longestName || /\p{Cc}/u.test(name)) {
    throw new InvalidInput(
      `rule_name must have at most ${longestName} characters, and no control characters among them`,
      "rule_name",
    );
  }
  if (isPlainName(name)) {
    if (!isBranchName(name)) {
      throw new InvalidInput(`rule_name: "${name.slice(0, 80)}" cannot be the name of a branch`, "rule_name");
    }
    return;
  }
  compileNamePattern(name, "rule_name");
}

const mostApprovals = 1000;
const lastPriorityOfAll = 1_000_000;
const mostContexts = 100;
const longestContext = 255;

function checkNumber(value: number | undefined, most: number, field: string): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= most)) {
    throw new InvalidInput(`${field} must be a number from 0 to ${most}`, field);
  }
}

function checkColumns(columns: BranchProtectionColumns): void {
  checkNumber(columns.requiredApprovals, mostApprovals, "required_approvals");
  checkNumber(columns.priority, lastPriorityOfAll, "priority");
  const contexts = columns.statusCheckContexts ?? [];
  if (contexts.some((context) => /\p{Cc}/u.test(context))) {
    throw new InvalidInput("status_check_contexts must not have control characters", "status_check_contexts");
  }
  if (contexts.length > mostContexts || contexts.some(({ length }) => length === 0 || length > longestContext)) {
    throw new InvalidInput(
      `status_check_contexts must be at most ${mostContexts} names of 1 to ${longestContext} characters`,
      "status_check_contexts",
    );
  }
  checkFilePatterns(columns);
}

function checkFilePatterns({ protectedFilePatterns, unprotectedFilePatterns }: BranchProtectionColumns): void {
  for (const [field, text] of [
    ["protected_file_patterns", protectedFilePatterns ?? ""],
    ["unprotected_file_patterns", unprotectedFilePatterns ?? ""],
  ] as const) {
    if (
      text.length > longestFilePatterns ||
      splitFilePatterns(text).length > mostFilePatterns ||
      /\p{Cc}/u.test(text)
    ) {
      throw new InvalidInput(
        `${field} must have at most ${mostFilePatterns} patterns and ${longestFilePatterns} characters, and no control characters among them`,
        field,
      );
    }
    compileFilePatterns(text, field);
  }
}

/** The columns that enable each list. */
const listColumns: Readonly<Record<ProtectionList, readonly (keyof BranchProtectionColumns)[]>> = {
  push: ["enablePush", "enablePushList", "pushDeployKeys"],
  "force-push": ["enablePush", "enableForcePush", "enableForcePushList", "forcePushDeployKeys"],
  delete: ["enableDelete", "enableDeleteList", "deleteDeployKeys"],
  merge: ["enableMergeList"],
  approvals: ["enableApprovalsList", "requiredApprovals"],
};

/** The lists that an input has something to do with. */
function listsIn({ columns, lists }: BranchProtectionInput): ProtectionList[] {
  return protectionLists.filter(
    (list) => lists[list] !== undefined || listColumns[list].some((column) => columns[column] !== undefined),
  );
}

/** Throws InvalidInput where a list counts and nobody is on it, or fewer than have to approve. */
function checkSatisfiable(
  { row, lists }: BranchProtection,
  checked: readonly ProtectionList[],
  columns: BranchProtectionColumns,
): void {
  const counts: Record<ProtectionList, boolean> = {
    push: row.enablePush && row.enablePushList && !row.pushDeployKeys,
    "force-push": row.enablePush && row.enableForcePush && row.enableForcePushList && !row.forcePushDeployKeys,
    delete: row.enableDelete && row.enableDeleteList && !row.deleteDeployKeys,
    merge: row.enableMergeList,
    approvals: row.enableApprovalsList,
  };
  for (const list of checked.filter((one) => counts[one])) {
    const { users, teams } = lists[list] ?? { users: [], teams: [] };
    const field = listFields[list].users;
    if (users.length + teams.length === 0) {
      throw new InvalidInput(
        `${field} is empty, and so is ${listFields[list].teams}: the list is enabled, so that nobody could satisfy the rule; name somebody or leave it disabled`,
        field,
      );
    }
    if (list === "approvals" && teams.length === 0 && users.length < row.requiredApprovals) {
      throw new InvalidInput(
        `required_approvals is ${row.requiredApprovals}, and only ${users.length} users may approve: nobody could satisfy the rule`,
        columns.requiredApprovals === undefined ? field : "required_approvals",
      );
    }
  }
}
