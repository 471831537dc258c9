import { RE2JS } from "re2js";
import type { packageCleanupRule } from "../../db/schema/packages.ts";
import { InvalidInput, StithyError } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

/**
 * Which versions of an owner's packages of a type go by themselves. Of each package the newest `keepCount` stay, and so do those that fit
 * `keepPattern` and those that came within the last `removeDays`. Of the others go those that fit `removePattern`; without one, all.
 * Source: the cleanup rules of Gitea and Forgejo.
 */
export type CleanupRule = Pick<
  typeof packageCleanupRule.$inferSelect,
  "enabled" | "keepCount" | "keepPattern" | "removeDays" | "removePattern" | "matchFullName"
>;

/** The fields of a version that rules look at. Those of a package come one after another, the newest first. */
interface Candidate {
  readonly package: { readonly id: number; readonly lowerName: string };
  readonly version: { readonly lowerVersion: string; readonly createdAt: Date };
}

const longestPattern = 200;
/** Instructions of one pattern: what people write has fewer than a hundred. */
const mostInstructions = 500;
/** Instructions times characters that one look at all versions may take: a hundred thousand versions and a usual pattern are within it. */
const mostWork = 100_000_000;
/** Others go on after so much of it. */
const workAtOnce = 100_000;
const dayMs = 24 * 60 * 60_000;

/** The owner has more versions than can be compared with a pattern of this size. */
class CleanupTooLarge extends StithyError {
  constructor() {
    super("too-large", "cleanup-too-large", "There are too many versions for patterns of this size; use shorter ones");
  }
}

/** Throws InvalidInput for a rule that cannot be followed, and for one that every version would go by. */
export function checkCleanupRule(rule: CleanupRule): void {
  compile("keep_pattern", rule.keepPattern);
  compile("remove_pattern", rule.removePattern);
  if (rule.keepCount === 0 && rule.removeDays === 0 && rule.keepPattern === "" && rule.removePattern === "") {
    throw new InvalidInput(
      "keep_count: the rule would delete every version; set keep_count, keep_pattern, remove_days or remove_pattern",
      "keep_count",
    );
  }
}

interface Pattern {
  readonly expression: RE2JS;
  readonly size: number;
}

/** A pattern fits a whole text, in any case. null: none. It takes linear time, so that nobody can hold the server up with one. */
function compile(field: string, source: string): Pattern | null {
  if (source === "") {
    return null;
  }
  if (source.length > longestPattern || repeatedSize(source) > mostInstructions) {
    throw tooLarge(field, source);
  }
  try {
    // By itself first: a parenthesis of its own might close the one around it.
    RE2JS.compile(source);
    const expression = RE2JS.compile(`^(?:${source})$`, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL);
    const size = expression.programSize();
    if (size <= mostInstructions) {
      return { expression, size };
    }
  } catch {
    throw new InvalidInput(`${field}: "${clip(source, 80)}" is no regular expression of RE2`, field);
  }
  throw tooLarge(field, source);
}

function tooLarge(field: string, source: string): InvalidInput {
  return new InvalidInput(`${field}: "${clip(source, 80)}" is too long, or repeats too much`, field);
}

/** How many instructions an expression may become: a repetition `{n}` writes its part n times, one in another multiplies. */
function repeatedSize(source: string): number {
  const repeats = [...source.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)];
  return repeats.reduce((size, [, least, most]) => size * Math.max(1, Number(least), Number(most ?? 0)), source.length);
}

/** Those of these versions that go by the rule at this time. Throws CleanupTooLarge. */
export async function* chooseRemoved<Version extends Candidate>(
  rule: CleanupRule,
  versions: AsyncIterable<Version>,
  now: Date,
): AsyncGenerator<Version> {
  const patterns = [compile("keep_pattern", rule.keepPattern), compile("remove_pattern", rule.removePattern)] as const;
  const [keep, remove] = patterns;
  const size = patterns.reduce((sum, pattern) => sum + (pattern?.size ?? 0), 0);
  const before = now.getTime() - rule.removeDays * dayMs;
  let work = 0;
  let pause = workAtOnce;
  let packageId: number | null = null;
  let newer = 0;
  for await (const candidate of versions) {
    const { package: of, version } = candidate;
    newer = of.id === packageId ? newer + 1 : 0;
    packageId = of.id;
    if (newer < rule.keepCount || version.createdAt.getTime() > before) {
      continue;
    }
    const text = rule.matchFullName ? `${of.lowerName}/${version.lowerVersion}` : version.lowerVersion;
    work += size * (text.length + 1);
    if (work > mostWork) {
      throw new CleanupTooLarge();
    }
    if (work > pause) {
      pause = work + workAtOnce;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (keep?.expression.matches(text) !== true && remove?.expression.matches(text) !== false) {
      yield candidate;
    }
  }
}
