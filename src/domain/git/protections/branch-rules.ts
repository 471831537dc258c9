import type { branchProtection, ProtectionList } from "../../../db/schema/protections.ts";
import { StithyError } from "../../../lib/errors.ts";
import { compileNamePattern, type NamePattern } from "../../../lib/name-pattern.ts";
import { patternWork } from "../../../lib/pattern-steps.ts";

/** A protection of branches as it decides about somebody. */
export interface BranchRule extends Omit<typeof branchProtection.$inferSelect, "createdAt" | "updatedAt"> {
  /** The lists that they are on, themselves or with a team. */
  readonly listed: readonly ProtectionList[];
}

/**
 * Limits on the work of comparing names with the patterns of one repository at once: a basis, more for each name, and
 * at most less than a second. Real rules need a hundredth.
 */
const firstWork = 100_000;
const workPerName = 5000;
const mostWork = 3_000_000;

/** Patterns and names were made to take long. */
export class RulesTooCostly extends StithyError {
  constructor() {
    super(
      "too-many",
      "rules-too-costly",
      "The names are more than the patterns of the repository's protections are compared with at once; name fewer, or make the patterns simpler",
    );
  }
}

/** Patterns by their text, compiled once. Comparing throws RulesTooCostly when it has taken too long in all. */
class Patterns {
  private readonly compiled = new Map<string, NamePattern>();
  private spent = 0;
  private allowed = firstWork;

  /** To be called before a name is compared with the patterns. */
  begin(): void {
    this.allowed = Math.min(this.allowed + workPerName, mostWork);
  }

  match(pattern: string, name: string): boolean {
    const matches = this.compiled.get(pattern) ?? compileNamePattern(pattern, "rule_name");
    this.compiled.set(pattern, matches);
    const before = patternWork();
    const result = matches(name);
    this.spent += patternWork() - before;
    if (this.spent > this.allowed) {
      throw new RulesTooCostly();
    }
    return result;
  }
}

/** The rules for a repository's branches. One rule decides about a branch: that of its exact name, else the first pattern that matches. */
export class BranchRules {
  private readonly patterns = new Patterns();

  /** In the order in which patterns are tried. */
  constructor(readonly rules: readonly BranchRule[]) {}

  /** The rule of this exact name. */
  findExact(branch: string): BranchRule | null {
    return this.rules.find((rule) => rule.ruleName === branch) ?? null;
  }

  /** Whether a name or a pattern fits a branch, whichever rule decides about it. Throws InvalidInput, RulesTooCostly. */
  fits(ruleName: string, branch: string): boolean {
    this.patterns.begin();
    return ruleName === branch || this.patterns.match(ruleName, branch);
  }

  /** The rule that decides about a branch, by its short name; null when it is not protected. Throws RulesTooCostly. */
  find(branch: string): BranchRule | null {
    this.patterns.begin();
    return this.findExact(branch) ?? this.rules.find(({ ruleName }) => this.patterns.match(ruleName, branch)) ?? null;
  }
}

/** A protection of tags. `listed`: whether they are on its lists. */
export interface TagRule {
  readonly namePattern: string;
  readonly listed: boolean;
}

/** The rules for a repository's tags. All that match count. */
export class TagRules {
  private readonly patterns = new Patterns();

  constructor(readonly rules: readonly TagRule[]) {}

  /** The rules that match a tag, by its short name. Throws RulesTooCostly. */
  find(tag: string): TagRule[] {
    this.patterns.begin();
    return this.rules.filter(({ namePattern }) => this.patterns.match(namePattern, tag));
  }
}
