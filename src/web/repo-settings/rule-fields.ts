import { protectionLists, type ProtectionList } from "../../db/schema/protections.ts";
import type {
  BranchProtectionColumns,
  BranchProtectionInput,
} from "../../domain/git/protections/edit-branch-protection.ts";
import type { ExplainedRule } from "../../domain/git/protections/explain-rule.ts";
import { listFields } from "../../domain/git/protections/lists.ts";
import type { BranchProtection } from "../../domain/git/protections/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Refusal } from "../errors.ts";
import type { Form } from "../form.ts";
import { html, type Html } from "../html.ts";
import { field } from "../parts/field.ts";
import { tick, type Values } from "./column-form.ts";

type Flag = {
  [Key in keyof BranchProtectionColumns]-?: NonNullable<BranchProtectionColumns[Key]> extends boolean ? Key : never;
}[keyof BranchProtectionColumns];

/** A box of the form, by the name that the API has for its column. */
interface FlagField {
  readonly name: string;
  readonly column: Flag;
  readonly label: string;
  readonly hint?: string;
}

interface Group {
  readonly legend: string;
  /** Boxes above the lists. */
  readonly flags: readonly FlagField[];
  /** A list of people, the box that makes it count, and the one for deploy keys. */
  readonly list?: { readonly of: ProtectionList; readonly on: FlagField; readonly keys?: FlagField };
  /** Boxes below. */
  readonly more?: readonly FlagField[];
}

const flag = (name: string, column: Flag, label: string, hint?: string): FlagField => ({
  name,
  column,
  label,
  ...(hint === undefined ? {} : { hint }),
});
const keys = (name: string, column: Flag) => flag(name, column, "Deploy keys that may write are on the list");

const groups = {
  push: {
    legend: "Pushes",
    flags: [flag("enable_push", "enablePush", "Pushes are allowed", "Otherwise changes come by pull requests alone.")],
    list: {
      of: "push",
      on: flag("enable_push_whitelist", "enablePushList", "Only by those on this list"),
      keys: keys("push_whitelist_deploy_keys", "pushDeployKeys"),
    },
    more: [
      flag(
        "require_signed_commits",
        "requireSignedCommits",
        "Commits need a verified signature",
        "Also those that a merge makes.",
      ),
    ],
  },
  force: {
    legend: "Force pushes",
    flags: [flag("enable_force_push", "enableForcePush", "Those who may push may drop commits")],
    list: {
      of: "force-push",
      on: flag("enable_force_push_allowlist", "enableForcePushList", "Only those on this list"),
      keys: keys("force_push_allowlist_deploy_keys", "forcePushDeployKeys"),
    },
  },
  delete: {
    legend: "Deletion",
    flags: [flag("enable_delete", "enableDelete", "The branch may be deleted")],
    list: {
      of: "delete",
      on: flag("enable_delete_allowlist", "enableDeleteList", "Only by those on this list"),
      keys: keys("delete_allowlist_deploy_keys", "deleteDeployKeys"),
    },
  },
  merge: {
    legend: "Who merges",
    flags: [],
    list: {
      of: "merge",
      on: flag("enable_merge_whitelist", "enableMergeList", "Only those on this list merge pull requests"),
    },
  },
  approvals: {
    legend: "Reviews",
    flags: [],
    list: {
      of: "approvals",
      on: flag("enable_approvals_whitelist", "enableApprovalsList", "Only approvals of those on this list count"),
    },
    more: [
      flag("dismiss_stale_approvals", "dismissStaleApprovals", "New commits dismiss approvals"),
      flag("ignore_stale_approvals", "ignoreStaleApprovals", "Approvals of earlier commits do not count"),
      flag("block_on_rejected_reviews", "blockOnRejectedReviews", "No merge while a review asks for changes"),
      flag(
        "block_on_official_review_requests",
        "blockOnOfficialReviewRequests",
        "No merge while somebody was asked for a review and gave none",
      ),
      flag("block_on_outdated_branch", "blockOnOutdatedBranch", "No merge of a branch that lacks commits of this one"),
    ],
  },
  checks: {
    legend: "Status checks",
    flags: [flag("enable_status_check", "enableStatusCheck", "Status checks have to pass")],
  },
  admins: {
    legend: "Administrators",
    flags: [
      flag(
        "apply_to_admins",
        "applyToAdmins",
        "It holds for administrators, too",
        "Otherwise they may merge in spite of missing approvals, reviews and checks.",
      ),
    ],
  },
} as const satisfies Readonly<Record<string, Group>>;

const flagsOf = ({ flags, list, more = [] }: Group): FlagField[] => [
  ...flags,
  ...(list === undefined ? [] : [list.on, ...(list.keys === undefined ? [] : [list.keys])]),
  ...more,
];
const flags = Object.values<Group>(groups).flatMap(flagsOf);
const textFields = [
  "required_approvals",
  "status_check_contexts",
  "protected_file_patterns",
  "unprotected_file_patterns",
];

/** Names of fields that tell themselves what is wrong with them. */
export const ruleFieldNames = [
  "rule_name",
  ...textFields,
  ...Object.values(listFields).flatMap(({ users, teams }) => [users, teams]),
];

const namesIn = (text: string) => text.split(/[\s,]+/).filter((name) => name !== "");

/** Reads a rule. Throws InvalidInput. */
export function readRule(form: Form): BranchProtectionInput {
  const approvals = form.text("required_approvals").trim();
  if (!/^\d{0,4}$/.test(approvals)) {
    throw new InvalidInput("required_approvals must be a number", "required_approvals");
  }
  const boxes = Object.fromEntries(flags.map(({ name, column }) => [column, form.text(name) !== ""]));
  return {
    columns: {
      ...boxes,
      requiredApprovals: Number(approvals),
      statusCheckContexts: form
        .lines("status_check_contexts")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
      protectedFilePatterns: form.text("protected_file_patterns").trim(),
      unprotectedFilePatterns: form.text("unprotected_file_patterns").trim(),
    },
    lists: Object.fromEntries(
      protectionLists.map((list) => [
        list,
        { users: namesIn(form.text(listFields[list].users)), teams: namesIn(form.text(listFields[list].teams)) },
      ]),
    ),
  };
}

/** What was read, as far as its words go: nobody has looked yet whether the names are somebody's. */
export function explained({ columns, lists }: BranchProtectionInput): ExplainedRule {
  return {
    columns,
    lists: Object.fromEntries(
      protectionLists.map((list) => [
        list,
        { users: [...(lists[list]?.users ?? [])], teams: [...(lists[list]?.teams ?? [])] },
      ]),
    ),
  };
}

/** The values that a rule has now; null: a new one, which lets people push and protects from the rest. */
export function valuesOfRule(rule: BranchProtection | null): Values {
  if (rule === null) {
    return (name) => (name === "enable_push" ? "1" : name === "required_approvals" ? "0" : "");
  }
  const { row, lists } = rule;
  const byName = new Map<string, string>([
    ["rule_name", row.ruleName],
    ["required_approvals", String(row.requiredApprovals)],
    ["status_check_contexts", row.statusCheckContexts.join("\n")],
    ["protected_file_patterns", row.protectedFilePatterns],
    ["unprotected_file_patterns", row.unprotectedFilePatterns],
    ...flags.map(({ name, column }) => [name, row[column] ? "1" : ""] as const),
    ...protectionLists.flatMap((list) => [
      [listFields[list].users, (lists[list]?.users ?? []).join(", ")] as const,
      [listFields[list].teams, (lists[list]?.teams ?? []).join(", ")] as const,
    ]),
  ]);
  return (name) => byName.get(name) ?? "";
}

/** The fields of a rule. `hasTeams`: the repository is of an organization. */
export function ruleFields(refused: Refusal | null, values: Values, hasTeams: boolean): Html {
  const box = ({ name, label, hint = "" }: FlagField) => tick(values, name, label, hint === "" ? null : hint);
  const text = (name: string, label: string, hint: string | null, isMono = true) =>
    field(
      refused,
      { name, label, hint },
      (attributes) =>
        html`<input type="text" ${attributes}${isMono && html` class="mono"`} value="${values(name)}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="4000">`,
    );
  const list = ({ of, on, keys: keysFlag }: NonNullable<Group["list"]>) =>
    html`${box(on)}<div class="inside">${text(listFields[of].users, "Users", "Names, apart by commas.")}${hasTeams && text(listFields[of].teams, "Teams", null)}${keysFlag !== undefined && box(keysFlag)}</div>`;
  const group = ({ legend, flags: above, list: people, more = [] }: Group, between: Html | null = null) =>
    html`<fieldset><legend>${legend}</legend>${between}${above.map(box)}${people !== undefined && list(people)}${more.map(box)}</fieldset>`;
  return html`${group(groups.push)}${group(groups.force)}${group(groups.delete)}
    <fieldset><legend>Files</legend>${text("protected_file_patterns", "Nobody pushes changes of these files", "Patterns between semicolons, such as .ci.yml;docs/**/*.txt.")}${text("unprotected_file_patterns", "Everybody who may write pushes changes of these files", "Also if pushes are not allowed.")}</fieldset>
    ${group(groups.merge)}
    ${group(groups.approvals, text("required_approvals", "Approvals that a merge takes", null, false))}
    ${group(groups.checks)}${field(
      refused,
      {
        name: "status_check_contexts",
        label: "Which ones",
        hint: "A name or a pattern on each line, such as ci/test. None: there has to be one, and all have to pass.",
      },
      (attributes) => html`<textarea class="mono" ${attributes} rows="3" spellcheck="false">
${values("status_check_contexts")}</textarea>`,
    )}
    ${group(groups.admins)}`;
}
