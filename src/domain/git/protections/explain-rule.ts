import type { ProtectionList } from "../../../db/schema/protections.ts";
import { splitFilePatterns } from "../../../lib/name-pattern.ts";
import type { BranchProtectionColumns } from "./edit-branch-protection.ts";
import type { ListedNames } from "./queries.ts";

/** A rule as far as its words go: absent columns are off. */
export interface ExplainedRule {
  readonly columns: BranchProtectionColumns;
  readonly lists: Readonly<Partial<Record<ProtectionList, ListedNames>>>;
}

/** One thing that a rule says. `limits`: it keeps somebody from something. */
export interface RuleSentence {
  readonly about: "push" | "force" | "delete" | "merge" | "review" | "check" | "signature" | "file" | "override";
  readonly limits: boolean;
  readonly text: string;
}

const writers = "Everybody who may write to the code";

/** Names in a row: "a, b and c". */
function inARow(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function listed({ lists }: ExplainedRule, list: ProtectionList, deployKeys = false): string {
  const { users, teams } = lists[list] ?? { users: [], teams: [] };
  const names = [
    ...users,
    ...teams.map((team) => `the team ${team}`),
    ...(deployKeys ? ["deploy keys that may write"] : []),
  ];
  return names.length === 0 ? "nobody" : inARow(names);
}

/**
 * Says in words what the rule that decides about a branch lets people do with it, and what it asks of a merge. null: no rule decides. The rules of
 * decide-change.ts, in their order.
 */
export function explainRule(rule: ExplainedRule | null): RuleSentence[] {
  if (rule === null) {
    return [
      {
        about: "push",
        limits: false,
        text: `${writers} may push to it, drop commits from it, delete it, and merge into it`,
      },
    ];
  }
  return [...explainPush(rule), ...explainFiles(rule), explainDelete(rule), ...explainMerge(rule)];
}

function explainPush(rule: ExplainedRule): RuleSentence[] {
  const { enablePush, enablePushList, pushDeployKeys, enableForcePush, enableForcePushList, forcePushDeployKeys } =
    rule.columns;
  if (enablePush !== true) {
    return [
      { about: "push", limits: true, text: "Nobody may push to it: changes come by pull requests" },
      { about: "force", limits: true, text: "Nobody may drop commits from it (force push)" },
    ];
  }
  const push: RuleSentence =
    enablePushList === true
      ? { about: "push", limits: true, text: `Only ${listed(rule, "push", pushDeployKeys)} may push to it` }
      : { about: "push", limits: false, text: `${writers} may push to it` };
  const force: RuleSentence =
    enableForcePush !== true
      ? { about: "force", limits: true, text: "Nobody may drop commits from it (force push)" }
      : enableForcePushList === true
        ? {
            about: "force",
            limits: true,
            text: `Of those, only ${listed(rule, "force-push", forcePushDeployKeys)} may drop commits from it (force push)`,
          }
        : {
            about: "force",
            limits: false,
            text: "Those who may push to it may also drop commits from it (force push)",
          };
  return [push, force];
}

const patterns = (text: string | undefined) => inARow(splitFilePatterns(text ?? ""));

function explainFiles({ columns }: ExplainedRule): RuleSentence[] {
  const free = patterns(columns.unprotectedFilePatterns);
  const kept = patterns(columns.protectedFilePatterns);
  return [
    ...(free === ""
      ? []
      : [
          {
            about: "file",
            limits: false,
            text: `${writers} may push to it what changes only files like ${free}`,
          } as const,
        ]),
    ...(kept === ""
      ? []
      : [{ about: "file", limits: true, text: `Nobody may push to it what changes files like ${kept}` } as const]),
    ...(columns.requireSignedCommits === true
      ? [{ about: "signature", limits: true, text: "New commits need a verified signature" } as const]
      : []),
  ];
}

function explainDelete(rule: ExplainedRule): RuleSentence {
  const { enableDelete, enableDeleteList, deleteDeployKeys } = rule.columns;
  if (enableDelete !== true) {
    return { about: "delete", limits: true, text: "Nobody may delete it" };
  }
  return enableDeleteList === true
    ? { about: "delete", limits: true, text: `Only ${listed(rule, "delete", deleteDeployKeys)} may delete it` }
    : { about: "delete", limits: false, text: `${writers} may delete it` };
}

function explainMerge(rule: ExplainedRule): RuleSentence[] {
  const { columns } = rule;
  const asked = [...explainReviews(rule), ...explainChecks(rule)];
  const merge: RuleSentence =
    columns.enableMergeList === true
      ? { about: "merge", limits: true, text: `Only ${listed(rule, "merge")} may merge into it` }
      : { about: "merge", limits: false, text: `${writers} may merge into it` };
  const isOverridden = asked.length > 0 && columns.applyToAdmins !== true;
  return [
    merge,
    ...asked,
    ...(isOverridden
      ? [
          {
            about: "override",
            limits: false,
            text: "Administrators of the repository may merge in spite of missing approvals, reviews and checks",
          } as const,
        ]
      : asked.length > 0
        ? [{ about: "override", limits: true, text: "That holds for administrators, too" } as const]
        : []),
  ];
}

const review = (isOn: boolean | undefined, text: string): RuleSentence[] =>
  isOn === true ? [{ about: "review", limits: true, text }] : [];

function explainReviews(rule: ExplainedRule): RuleSentence[] {
  const { columns } = rule;
  const needed = columns.requiredApprovals ?? 0;
  const by = columns.enableApprovalsList === true ? ` by ${listed(rule, "approvals")}` : "";
  return [
    ...review(needed > 0, `A merge takes ${needed} ${needed === 1 ? "approval" : "approvals"}${by}`),
    ...review(columns.dismissStaleApprovals, "New commits dismiss the approvals that a pull request has"),
    ...review(
      needed > 0 && columns.ignoreStaleApprovals === true && columns.dismissStaleApprovals !== true,
      "Approvals of earlier commits do not count",
    ),
    ...review(columns.blockOnRejectedReviews, "No merge while a review asks for changes"),
    ...review(columns.blockOnOfficialReviewRequests, "No merge while somebody was asked for a review and gave none"),
    ...review(columns.blockOnOutdatedBranch, "No merge of a branch that lacks commits of this one"),
  ];
}

function explainChecks({ columns }: ExplainedRule): RuleSentence[] {
  if (columns.enableStatusCheck !== true) {
    return [];
  }
  const contexts = columns.statusCheckContexts ?? [];
  const text =
    contexts.length === 0
      ? "There has to be a status check, and all of them have to pass"
      : `${contexts.length === 1 ? "The status check" : "The status checks"} ${inARow(contexts)} ${contexts.length === 1 ? "has" : "have"} to pass`;
  return [{ about: "check", limits: true, text }];
}
