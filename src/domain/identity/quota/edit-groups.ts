import type { Reader } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { NamedOwner } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { getRule, makeRule, mostQuotaNames, readQuotaName, type RuleInput } from "./edit-rules.ts";
import type { QuotaGroup } from "./evaluate.ts";
import {
  countGroups,
  deleteGroupOwner,
  deleteGroupRow,
  deleteGroupRule,
  findGroup,
  insertGroup,
  insertGroupOwner,
  insertGroupRule,
  lockGroup,
  replaceGroupsOf,
} from "./queries.ts";

/** The most rules of a group. */
const mostRules = 100;

/** The group of a name. Throws NotFound. */
export async function getGroup(db: Reader, name: string): Promise<QuotaGroup & { id: number }> {
  const group = await findGroup(db, name);
  if (group === null) {
    throw noGroup(name);
  }
  return group;
}

function noGroup(name: string): NotFound {
  return new NotFound("quota group", clip(name, 80));
}

function isSame(input: RuleInput, rule: { limit: number; subjects: readonly string[] }): boolean {
  const { limit, subjects } = input;
  return (
    (limit == null || limit === rule.limit) &&
    (subjects == null || new Set(subjects).symmetricDifference(new Set(rule.subjects)).size === 0)
  );
}

/**
 * Makes a group of rules: of those that there are, and of new ones. A rule that there is may be named alone, or as it is.
 * Throws InvalidInput that names the field, and Conflict where a group has the name, or a rule of the name is another one.
 */
export async function createGroup(
  work: Work,
  input: {
    name?: string | undefined;
    rules?: readonly (RuleInput & { name?: string | undefined })[] | null | undefined;
  },
): Promise<QuotaGroup> {
  const name = readQuotaName(input.name);
  const rules = input.rules ?? [];
  if (rules.length > mostRules) {
    throw tooManyRules();
  }
  if ((await countGroups(work.tx)) >= mostQuotaNames) {
    throw new InvalidInput(`A server has at most ${mostQuotaNames} quota groups`);
  }
  const groupId = await insertGroup(work.tx, name);
  if (groupId === null) {
    throw new Conflict(`There is a quota group "${clip(name, 80)}"`);
  }
  for (const rule of rules) {
    await insertGroupRule(work.tx, groupId, await ruleFor(work, rule));
  }
  return getGroup(work.tx, name);
}

function tooManyRules(): InvalidInput {
  return new InvalidInput(`A quota group has at most ${mostRules} rules`, "rules");
}

/** The id of a rule that there is, or else of a new one. */
async function ruleFor(work: Work, input: RuleInput & { name?: string | undefined }): Promise<number> {
  const isName = input.limit == null && input.subjects == null;
  const made = isName ? null : await makeRule(work, input);
  if (made !== null) {
    return made.id;
  }
  const rule = await getRule(work.tx, readQuotaName(input.name));
  if (!isSame(input, rule)) {
    throw new Conflict(`The quota rule "${clip(rule.name, 80)}" has another limit or other subjects`);
  }
  return rule.id;
}

/** Deletes a group, and takes it from every owner; its rules stay. Throws NotFound. */
export async function deleteGroup(work: Work, name: string): Promise<void> {
  if (!(await deleteGroupRow(work.tx, name))) {
    throw noGroup(name);
  }
}

async function getLocked(work: Work, name: string): Promise<{ id: number; rules: number }> {
  const group = await lockGroup(work.tx, name);
  if (group === null) {
    throw noGroup(name);
  }
  return group;
}

/** Adds a rule to a group. Throws NotFound, and Conflict where it has it. */
export async function addRule(work: Work, groupName: string, ruleName: string): Promise<void> {
  const group = await getLocked(work, groupName);
  const rule = await getRule(work.tx, ruleName);
  if (!(await insertGroupRule(work.tx, group.id, rule.id))) {
    throw new Conflict(`The quota group "${clip(groupName, 80)}" has the rule "${clip(ruleName, 80)}"`);
  }
  if (group.rules >= mostRules) {
    throw tooManyRules();
  }
}

/** Takes a rule from a group. Throws NotFound, also where the group does not have it. */
export async function removeRule(work: Work, groupName: string, ruleName: string): Promise<void> {
  const group = await getLocked(work, groupName);
  const rule = await getRule(work.tx, ruleName);
  if (!(await deleteGroupRule(work.tx, group.id, rule.id))) {
    throw new NotFound("rule of the quota group", clip(ruleName, 80));
  }
}

/** Gives a group to an owner, who has the default ones no longer. Throws NotFound, and Conflict where they have it. */
export async function giveGroup(work: Work, groupName: string, owner: NamedOwner): Promise<void> {
  const group = await getLocked(work, groupName);
  if (!(await insertGroupOwner(work.tx, group.id, owner.id))) {
    throw new Conflict(`"${owner.name}" has the quota group "${clip(groupName, 80)}"`);
  }
}

/** Takes a group from an owner. Throws NotFound, also where they do not have it. */
export async function takeGroup(work: Work, groupName: string, owner: NamedOwner): Promise<void> {
  const group = await getLocked(work, groupName);
  if (!(await deleteGroupOwner(work.tx, group.id, owner.id))) {
    throw new NotFound("user of the quota group", owner.name);
  }
}

/** Gives an owner these groups and no others; none: the default ones. Throws InvalidInput where one of them does not exist. */
export async function setGroups(work: Work, owner: NamedOwner, names: readonly string[]): Promise<void> {
  const distinct = [...new Set(names)];
  if ((await replaceGroupsOf(work.tx, owner.id, distinct)) < distinct.length) {
    throw new InvalidInput("groups has a name that no quota group has", "groups");
  }
}
