import type { OwnerRow } from "../../auth/subject.ts";
import type { Reader } from "../../db/client.ts";
import { describeError } from "../../db/pg-errors.ts";
import type { PackageType } from "../../db/schema/packages.ts";
import { StithyError } from "../../lib/errors.ts";
import { serverDoer } from "../spine/doer.ts";
import { NotFound } from "../spine/errors.ts";
import type { NamedOwner } from "../spine/events/names.ts";
import type { Forge } from "../spine/forge.ts";
import type { Work } from "../spine/work.ts";
import {
  deleteCleanupRuleRow,
  findCleanupRule,
  listDueCleanupRules,
  listVersionsOfType,
  putCleanupRule,
  setFollowed,
  type CleanupRuleRow,
} from "./cleanup-queries.ts";
import { checkCleanupRule, chooseRemoved, type CleanupRule } from "./cleanup-rules.ts";
import { deleteVersion } from "./edit-package.ts";
import type { FoundVersion } from "./queries.ts";

class NoCleanupRule extends StithyError {
  constructor(type: PackageType) {
    super("absent", "no-cleanup-rule", `There is no cleanup rule for packages of the type ${type}`, { type });
  }
}

/** The rule of an owner's packages of a type. Throws an error of the kind "absent". */
export async function getCleanupRule(db: Reader, ownerId: number, type: PackageType): Promise<CleanupRuleRow> {
  const row = await findCleanupRule(db, ownerId, type);
  if (row === null) {
    throw new NoCleanupRule(type);
  }
  return row;
}

/** Sets the rule of an owner's packages of a type; the next run follows it. Throws InvalidInput. */
export async function setCleanupRule(
  work: Work,
  owner: NamedOwner,
  type: PackageType,
  rule: CleanupRule,
): Promise<CleanupRuleRow> {
  checkCleanupRule(rule);
  return putCleanupRule(work.tx, owner.id, type, rule);
}

/** Deletes the rule of an owner's packages of a type. Throws an error of the kind "absent". */
export async function deleteCleanupRule(work: Work, owner: NamedOwner, type: PackageType): Promise<void> {
  if (!(await deleteCleanupRuleRow(work.tx, owner.id, type))) {
    throw new NoCleanupRule(type);
  }
}

/** The versions that a run would delete at this time, whether the rule is enabled or not: nothing is deleted. */
function previewCleanup(db: Reader, rule: CleanupRuleRow, now = new Date()): AsyncGenerator<FoundVersion> {
  return chooseRemoved(rule, listVersionsOfType(db, rule.ownerId, rule.type), now);
}

/** A page of what `previewCleanup` finds, and how much that is in all. */
export async function previewPage(
  db: Reader,
  rule: CleanupRuleRow,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: FoundVersion[]; total: number }> {
  const rows: FoundVersion[] = [];
  let total = 0;
  for await (const found of previewCleanup(db, rule)) {
    if (total >= offset && rows.length < size) {
      rows.push(found);
    }
    total += 1;
  }
  return { rows, total };
}

/** A run that comes a little early the next day does not wait for another hour. */
const followedEveryMs = 23.5 * 60 * 60_000;

/** Regular task: follows each rule once a day. Returns how many versions were deleted. What goes wrong with one owner's packages keeps no others from it. */
export async function cleanPackages(forge: Forge, signal: AbortSignal, now = new Date()): Promise<number> {
  const { change, database, log } = forge;
  let deleted = 0;
  for (const { rule, owner } of await listDueCleanupRules(database.db, new Date(now.getTime() - followedEveryMs))) {
    try {
      deleted += await follow(forge, rule, owner, { signal, now });
    } catch (error) {
      log.warn({ owner: owner.name, type: rule.type, ...describeError(error) }, "A cleanup rule could not be followed");
    }
    if (signal.aborted) {
      break;
    }
    await change(serverDoer("cleanup_packages"), (work) => setFollowed(work.tx, rule.id, now));
  }
  return deleted;
}

async function follow(
  { change, database }: Forge,
  rule: CleanupRuleRow,
  owner: OwnerRow,
  { signal, now }: { signal: AbortSignal; now: Date },
): Promise<number> {
  let deleted = 0;
  for await (const found of previewCleanup(database.db, rule, now)) {
    if (signal.aborted) {
      break;
    }
    try {
      await change(serverDoer("cleanup_packages"), (work) => deleteVersion(work, owner, found));
      deleted += 1;
    } catch (error) {
      // Somebody was faster.
      if (!(error instanceof NotFound)) {
        throw error;
      }
    }
  }
  return deleted;
}
