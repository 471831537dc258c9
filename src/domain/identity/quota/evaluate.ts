import { partsBy, partsOf, sizeOf, type Bringer, type QuotaSubject, type Usage, type UsagePart } from "./subjects.ts";

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

/** Two parties that bring bytes. Guests may bring `guestPercent` of each limit, which does not count for the owner. */
export interface Share {
  readonly by: Bringer;
  readonly guestPercent: number;
}

/** The share of the owner, which is each limit as it is. */
const ownersShare: Share = { by: "owner", guestPercent: 0 };

/** How many bytes more a rule allows. What two of its subjects have in common counts once. */
function roomInRule(rule: QuotaRule, usage: Usage, { by, guestPercent }: Share): number {
  const used = sizeOf(usage, partsBy(by, partsOf(rule.subjects)));
  return (by === "owner" ? rule.limit : Math.floor((rule.limit / 100) * guestPercent)) - used;
}

/** Whether a rule limits some of these parts. */
function concerns(rule: QuotaRule, parts: ReadonlySet<UsagePart>): boolean {
  return !partsOf(rule.subjects).isDisjointFrom(parts);
}

/**
 * How many bytes more of these parts an owner may use, or guests may bring: negative where they are over, infinite where nothing limits it. A rule
 * stands when its subjects together are within the limit, a group when all its rules stand, the list when any of its
 * groups stands; without groups nothing is limited. A rule decides about parts that it names.
 * Source: the quota model of the API's specification; the share of guests is this server's.
 */
export function roomForParts(
  groups: readonly QuotaGroup[],
  usage: Usage,
  parts: ReadonlySet<UsagePart>,
  share: Share = ownersShare,
): number {
  if (groups.length === 0) {
    return Number.POSITIVE_INFINITY;
  }
  const roomIn = ({ rules }: QuotaGroup) =>
    rules
      .filter((rule) => concerns(rule, parts))
      .reduce((room, rule) => Math.min(room, roomInRule(rule, usage, share)), Number.POSITIVE_INFINITY);
  return Math.max(...groups.map(roomIn));
}

/** Evaluates one subject for the owner. */
export function roomFor(groups: readonly QuotaGroup[], usage: Usage, subject: QuotaSubject): number {
  return roomForParts(groups, usage, partsBy("owner", partsOf([subject])));
}

/** Whether an owner uses more of a subject than they may. */
export function isOver(groups: readonly QuotaGroup[], usage: Usage, subject: QuotaSubject): boolean {
  return roomFor(groups, usage, subject) < 0;
}
