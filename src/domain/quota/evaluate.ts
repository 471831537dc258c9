import { partsOf, type QuotaSubject, type Usage, type UsagePart } from "./subjects.ts";

/** A limit on what some subjects take together. */
export interface QuotaRule {
  readonly name: string;
  /** bytes */
  readonly limit: number;
  readonly subjects: readonly QuotaSubject[];
}

/** Rules that hold together. */
export interface QuotaGroup {
  readonly name: string;
  readonly rules: readonly QuotaRule[];
}

/** What the subjects of a rule take together, bytes. What two of them have in common counts once. */
function usedOf(rule: QuotaRule, usage: Usage): number {
  return [...partsOf(rule.subjects)].reduce((sum, part) => sum + usage[part], 0);
}

/** Whether a rule limits some of these parts. */
function concerns(rule: QuotaRule, parts: ReadonlySet<UsagePart>): boolean {
  return !partsOf(rule.subjects).isDisjointFrom(parts);
}

/** How many bytes more of the parts a group allows; infinite where none of its rules concerns them, negative where it is over. */
function roomInGroup(group: QuotaGroup, usage: Usage, parts: ReadonlySet<UsagePart>): number {
  return group.rules
    .filter((rule) => concerns(rule, parts))
    .reduce((room, rule) => Math.min(room, rule.limit - usedOf(rule, usage)), Number.POSITIVE_INFINITY);
}

/**
 * How many bytes more of a subject an owner may use: negative where they are over, infinite where nothing limits it. A rule
 * stands when its subjects together are within the limit, a group when all its rules stand, the list when any of its
 * groups stands; without groups nothing is limited. A rule decides about a subject that it has bytes in common with.
 * Source: the quota model of the API's specification.
 */
export function roomFor(groups: readonly QuotaGroup[], usage: Usage, subject: QuotaSubject): number {
  if (groups.length === 0) {
    return Number.POSITIVE_INFINITY;
  }
  const parts = partsOf([subject]);
  return Math.max(...groups.map((group) => roomInGroup(group, usage, parts)));
}

/** Whether an owner uses more of a subject than they may. */
export function isOver(groups: readonly QuotaGroup[], usage: Usage, subject: QuotaSubject): boolean {
  return roomFor(groups, usage, subject) < 0;
}
