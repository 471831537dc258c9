import type { branchProtection, ProtectionList } from "../../db/schema/protections.ts";
import { compileNamePattern, type NamePattern } from "../../lib/name-pattern.ts";

/** A protection of branches as it decides about somebody. */
export interface BranchRule extends Omit<typeof branchProtection.$inferSelect, "createdAt" | "updatedAt"> {
  /** The lists that they are on, themselves or with a team. */
  readonly listed: readonly ProtectionList[];
}

/** The rules for a repository's branches. One rule decides about a branch: that of its exact name, else the first pattern that matches. */
export class BranchRules {
  private readonly patterns = new Map<BranchRule, NamePattern>();

  /** In the order in which patterns are tried. */
  constructor(readonly rules: readonly BranchRule[]) {}

  /** The rule of this exact name. */
  findExact(branch: string): BranchRule | null {
    return this.rules.find((rule) => rule.ruleName === branch) ?? null;
  }

  /** The rule that decides about a branch, by its short name; null when it is not protected. */
  find(branch: string): BranchRule | null {
    return this.findExact(branch) ?? this.rules.find((rule) => this.pattern(rule)(branch)) ?? null;
  }

  private pattern(rule: BranchRule): NamePattern {
    const known = this.patterns.get(rule) ?? compileNamePattern(rule.ruleName, "rule_name");
    this.patterns.set(rule, known);
    return known;
  }
}

/** A protection of tags. `listed`: whether they are on its lists. */
export interface TagRule {
  readonly namePattern: string;
  readonly listed: boolean;
}
