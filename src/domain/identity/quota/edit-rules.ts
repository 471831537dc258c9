import type { Reader } from "../../../db/client.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip, showValue } from "../../../lib/show-value.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import type { QuotaRule } from "./evaluate.ts";
import { countRules, deleteRuleRow, findRule, insertRule, updateRule, type RuleColumns } from "./queries.ts";
import { quotaSubjects, type QuotaSubject } from "./subjects.ts";

/** The most rules, and the most groups, of a server: an administrator's list is never paged. */
export const mostQuotaNames = 1000;
const longestName = 255;

/** The fields of a rule that a request sets. */
export interface RuleInput {
  readonly limit?: number | null | undefined;
  readonly subjects?: readonly string[] | null | undefined;
}

/** Returns the name of a rule or a group. Throws InvalidInput. */
export function readQuotaName(name: string | undefined): string {
  if (name === undefined || name.trim() === "" || name.length > longestName || /\p{Cc}/u.test(name)) {
    throw new InvalidInput(
      `The name of a quota rule or group has 1 to ${longestName} characters, not only spaces, and no control characters among them`,
      "name",
    );
  }
  return name;
}

function readSubjects(subjects: readonly string[]): QuotaSubject[] {
  const known = new Set<string>(quotaSubjects);
  const unknown = subjects.find((subject) => !known.has(subject));
  if (unknown !== undefined) {
    throw new InvalidInput(`subjects has ${showValue(unknown)}, which is no quota subject`, "subjects");
  }
  if (subjects.length === 0) {
    throw new InvalidInput("subjects must name at least one quota subject", "subjects");
  }
  return [...new Set(subjects)] as QuotaSubject[];
}

function readLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new InvalidInput("limit is a number of bytes and not negative; what no rule names is not limited", "limit");
  }
  return limit;
}

/** Returns what a request says of a rule, checked. Throws InvalidInput that names the field. */
function readRule({ limit, subjects }: RuleInput): Partial<RuleColumns> {
  return {
    ...(limit == null ? {} : { limit: readLimit(limit) }),
    ...(subjects == null ? {} : { subjects: readSubjects(subjects) }),
  };
}

/** Makes a rule, or returns null where one has the name. Throws InvalidInput that names the field. */
export async function makeRule(
  work: Work,
  input: RuleInput & { name?: string | undefined },
): Promise<(QuotaRule & { id: number }) | null> {
  const name = readQuotaName(input.name);
  const { limit, subjects } = readRule(input);
  if (limit === undefined || subjects === undefined) {
    const missing = limit === undefined ? "limit" : "subjects";
    throw new InvalidInput(`${missing} is required`, missing);
  }
  if ((await countRules(work.tx)) >= mostQuotaNames) {
    throw new InvalidInput(`A server has at most ${mostQuotaNames} quota rules`);
  }
  return insertRule(work.tx, { name, limit, subjects });
}

/** Makes a rule. Throws InvalidInput that names the field, and Conflict where one has the name. */
export async function createRule(work: Work, input: RuleInput & { name?: string | undefined }): Promise<QuotaRule> {
  const made = await makeRule(work, input);
  if (made === null) {
    throw new Conflict(`There is a quota rule "${clip(input.name ?? "", 80)}"`);
  }
  return made;
}

/** Changes a rule, and with it every group that has it. Throws NotFound, and InvalidInput that names the field. */
export async function editRule(work: Work, name: string, input: RuleInput): Promise<QuotaRule> {
  const changed = readRule(input);
  const rule = await updateRule(work.tx, name, changed);
  if (rule === null) {
    throw new NotFound("quota rule", clip(name, 80));
  }
  return rule;
}

/** Deletes a rule, and takes it from every group. Throws NotFound. */
export async function deleteRule(work: Work, name: string): Promise<void> {
  if (!(await deleteRuleRow(work.tx, name))) {
    throw new NotFound("quota rule", clip(name, 80));
  }
}

/** The rule of a name. Throws NotFound. */
export async function getRule(db: Reader, name: string): Promise<QuotaRule & { id: number }> {
  const rule = await findRule(db, name);
  if (rule === null) {
    throw new NotFound("quota rule", clip(name, 80));
  }
  return rule;
}
