import { describe, expect, test } from "bun:test";
import { BranchRules, RulesTooCostly, TagRules, type BranchRule, type TagRule } from "./branch-rules.ts";
import { refuseBranchChange, refuseTagChange, type BranchChange, type MergeState } from "./decide-change.ts";
import { Facts, type Fact, type FactQuestion } from "./facts.ts";

const [from, to] = ["a".repeat(40), "b".repeat(40)];

function rule(fields: Partial<BranchRule> = {}): BranchRule {
  return {
    id: 1,
    repositoryId: 1,
    ruleName: "main",
    priority: 1,
    enablePush: false,
    enablePushList: false,
    pushDeployKeys: false,
    enableForcePush: false,
    enableForcePushList: false,
    forcePushDeployKeys: false,
    enableDelete: false,
    enableDeleteList: false,
    deleteDeployKeys: false,
    enableMergeList: false,
    enableApprovalsList: false,
    requiredApprovals: 0,
    enableStatusCheck: false,
    statusCheckContexts: [],
    blockOnRejectedReviews: false,
    blockOnOfficialReviewRequests: false,
    blockOnOutdatedBranch: false,
    dismissStaleApprovals: false,
    ignoreStaleApprovals: false,
    requireSignedCommits: false,
    protectedFilePatterns: "",
    unprotectedFilePatterns: "",
    applyToAdmins: false,
    listed: [],
    ...fields,
  };
}

/** Every question of a kind has this answer. */
function known(answers: Partial<Record<FactQuestion["ask"], Fact>>, move: { from: string | null } = { from }): Facts {
  const patterns = "*.lock";
  const questions: FactQuestion[] = [
    { ask: "gives-up-commits", to, ...move },
    { ask: "new-commits", to, ...move },
    { ask: "file-that-matches", to, patterns, ...move },
    { ask: "file-beside", to, patterns, ...move },
  ];
  return new Facts().with(
    questions.flatMap((question) =>
      answers[question.ask] === undefined ? [] : [[question, answers[question.ask]!] as const],
    ),
  );
}

const update: BranchChange = { branch: "main", oldOid: from, newOid: to };
const notForced = { "gives-up-commits": { kind: "yes-or-no", yes: false } } as const;
const reason = (
  of: BranchRule,
  change: BranchChange,
  doer: "user" | "deploy-key" = "user",
  facts = known(notForced),
) => {
  const refusal = refuseBranchChange(of, change, doer, facts);
  expect(facts.missing).toEqual([]);
  return refusal;
};

describe("a push", () => {
  test("needs to be enabled, and to be on the list where that is", () => {
    expect(reason(rule(), update)).toBe("protected branch main: nobody may push to it; changes come by pull requests");
    expect(reason(rule({ enablePush: true }), update)).toBeNull();
    const list = { enablePush: true, enablePushList: true } as const;
    expect(reason(rule(list), update)).toContain("you are not on the list of those who may push");
    expect(reason(rule({ ...list, listed: ["merge"] }), update)).toContain("not on the list");
    expect(reason(rule({ ...list, listed: ["push"] }), update)).toBeNull();
    expect(reason(rule({ ...list, listed: ["push"] }), update, "deploy-key")).toContain("not on the list");
    expect(reason(rule({ ...list, pushDeployKeys: true }), update, "deploy-key")).toBeNull();
    expect(reason(rule({ ...list, pushDeployKeys: true }), update)).toContain("not on the list");
    expect(reason(rule({ enablePush: true }), update, "deploy-key")).toBeNull();
  });

  test("that gives up commits needs leave of its own, and leave to push", () => {
    const forced = { ...update, forced: true };
    expect(reason(rule({ enablePush: true }), forced)).toBe("protected branch main: nobody may force it");
    expect(reason(rule({ enablePush: true, enableForcePush: true }), forced)).toBeNull();
    expect(reason(rule({ enableForcePush: true }), forced)).toContain("nobody may push");
    const list = { enablePush: true, enableForcePush: true, enableForcePushList: true } as const;
    expect(reason(rule(list), forced)).toContain("not on the list of those who may force it");
    expect(reason(rule({ ...list, listed: ["force-push"] }), forced)).toBeNull();
    expect(reason(rule({ ...list, enablePushList: true, listed: ["force-push"] }), forced)).toContain("may push to it");
    expect(reason(rule({ ...list, forcePushDeployKeys: true }), forced, "deploy-key")).toBeNull();
    // Files that anybody may change are no leave to force.
    const open = { ...list, enablePushList: true, unprotectedFilePatterns: "*.lock", listed: ["force-push"] } as const;
    const beside = known({ "file-beside": { kind: "file", path: null } });
    expect(reason(rule(open), forced, "user", beside)).toContain("may force it");
    const found = known({ "gives-up-commits": { kind: "yes-or-no", yes: true } });
    expect(reason(rule({ enablePush: true }), update, "user", found)).toContain("nobody may force it");
    // One that creates the branch gives up nothing.
    expect(reason(rule({ enablePush: true }), { ...update, oldOid: null }, "user", new Facts())).toBeNull();
  });

  test("asks only for what it has to know, and for all of it at once", () => {
    const asked = (of: BranchRule, change = update) => {
      const facts = new Facts();
      refuseBranchChange(of, change, "user", facts);
      return facts.missing.map(({ ask }) => ask);
    };
    const all = { requireSignedCommits: true, protectedFilePatterns: "*.lock" } as const;
    expect(asked(rule(all))).toEqual([]);
    expect(asked(rule({ ...all, unprotectedFilePatterns: "*.md" }))).toEqual([
      "gives-up-commits",
      "new-commits",
      "file-that-matches",
      "file-beside",
    ]);
    expect(asked(rule({ ...all, enablePush: true, enableForcePush: true }))).toEqual([
      "new-commits",
      "file-that-matches",
    ]);
    expect(asked(rule({ enablePush: true }), { ...update, forced: false })).toEqual([]);
    expect(asked(rule({ enableDelete: true }), { ...update, newOid: null })).toEqual([]);
  });

  test("may not change protected files; unprotected ones are for whoever may not push", () => {
    const guarded = rule({ enablePush: true, protectedFilePatterns: "*.lock" });
    const file = (path: string | null) => known({ ...notForced, "file-that-matches": { kind: "file", path } });
    expect(reason(guarded, update, "user", file("a.lock"))).toBe(
      'protected branch main: the file "a.lock" is protected',
    );
    expect(reason(guarded, update, "user", file(null))).toBeNull();
    const many = known({ ...notForced, "file-that-matches": { kind: "too-many" } });
    expect(reason(guarded, update, "user", many)).toContain("more files change than the rule looks through");
    const open = rule({ unprotectedFilePatterns: "*.lock" });
    const beside = (fact: Fact) => known({ ...notForced, "file-beside": fact });
    expect(reason(open, update, "user", beside({ kind: "file", path: null }))).toBeNull();
    expect(reason(open, update, "user", beside({ kind: "file", path: "x" }))).toContain('"x" is none of the files');
    expect(reason(open, update, "user", beside({ kind: "too-many" }))).toContain("more files change");
    const both = known({
      ...notForced,
      "file-that-matches": { kind: "file", path: "a.lock" },
      "file-beside": { kind: "file", path: null },
    });
    const contradiction = rule({ protectedFilePatterns: "*.lock", unprotectedFilePatterns: "*.lock" });
    expect(reason(contradiction, update, "user", both)).toContain("is protected");
  });

  test("brings signed commits where these are required", () => {
    const signed = rule({ enablePush: true, requireSignedCommits: true });
    const commits = (fact: Fact) => known({ ...notForced, "new-commits": fact });
    expect(reason(signed, update, "user", commits({ kind: "unsigned", commit: null }))).toBeNull();
    expect(reason(signed, update, "user", commits({ kind: "unsigned", commit: to }))).toContain(
      `${to.slice(0, 10)} has no`,
    );
    expect(reason(signed, update, "user", commits({ kind: "too-many" }))).toContain("push them in parts");
  });
});

test("a deletion needs to be enabled, and to be on the list where that is", () => {
  const deletion = { ...update, newOid: null };
  expect(reason(rule({ enablePush: true }), deletion)).toBe("protected branch main: nobody may delete it");
  expect(reason(rule({ enableDelete: true }), deletion)).toBeNull();
  const list = { enableDelete: true, enableDeleteList: true } as const;
  expect(reason(rule({ ...list, listed: ["push"] }), deletion)).toContain("not on the list of those who may delete");
  expect(reason(rule({ ...list, listed: ["delete"] }), deletion)).toBeNull();
  expect(reason(rule({ ...list, deleteDeployKeys: true }), deletion, "deploy-key")).toBeNull();
});

describe("a merge", () => {
  const fine: MergeState = {
    approvals: 0,
    rejected: false,
    requested: false,
    outdated: false,
    statuses: [],
    overrides: false,
  };
  const merged = (of: Partial<BranchRule>, merge: Partial<MergeState> = {}, facts = new Facts()) =>
    reason(rule(of), { ...update, merge: { ...fine, ...merge } }, "user", facts);

  test("does not need leave to push, but to be on the merge list where that is", () => {
    expect(merged({})).toBeNull();
    expect(merged({ enableMergeList: true, listed: ["push"] })).toBe(
      "protected branch main: you are not on the list of those who may merge into it",
    );
    expect(merged({ enableMergeList: true, listed: ["merge"] })).toBeNull();
  });

  test("needs approvals, and no review in the way", () => {
    expect(merged({ requiredApprovals: 2 }, { approvals: 1 })).toContain("it takes 2 approvals, and there are 1");
    expect(merged({ requiredApprovals: 2 }, { approvals: 2 })).toBeNull();
    for (const [column, state, text] of [
      ["blockOnRejectedReviews", "rejected", "a review asks for changes"],
      ["blockOnOfficialReviewRequests", "requested", "a review is asked for"],
      ["blockOnOutdatedBranch", "outdated", "commits that the pull request does not have"],
    ] as const) {
      expect(merged({}, { [state]: true })).toBeNull();
      expect(merged({ [column]: true }, {})).toBeNull();
      expect(merged({ [column]: true }, { [state]: true })).toContain(text);
    }
  });

  test("needs its status checks to have passed: by name, else by pattern, or all", () => {
    const statuses = (...states: [string, string][]) => ({
      statuses: states.map(([context, state]) => ({ context, state })),
    });
    const checks = (...statusCheckContexts: string[]) => ({ enableStatusCheck: true, statusCheckContexts });
    expect(merged({ statusCheckContexts: ["ci"] })).toBeNull();
    expect(merged(checks("ci"))).toContain('the status check "ci" has not passed');
    expect(merged(checks("ci"), statuses(["ci", "pending"]))).toContain('"ci" has not passed');
    expect(merged(checks("ci"), statuses(["ci", "success"], ["other", "failure"]))).toBeNull();
    expect(merged(checks("ci/*"), statuses(["ci/a", "success"], ["ci/b", "skipped"]))).toBeNull();
    expect(merged(checks("ci/*"), statuses(["ci/a", "success"], ["ci/b", "error"]))).toContain('"ci/b" has not passed');
    expect(merged(checks("ci/*"), statuses(["ci", "success"]))).toContain('"ci/*" has not passed');
    // A context that cannot be read as a pattern is a name all the same.
    expect(merged(checks("build [linux"), statuses(["build [linux", "success"]))).toBeNull();
    expect(merged(checks("build [x]"), statuses(["build [x]", "success"], ["build x", "failure"]))).toBeNull();
    expect(merged(checks())).toContain("no status check has passed");
    expect(merged(checks(), statuses(["a", "success"]))).toBeNull();
    expect(merged(checks(), statuses(["a", "success"], ["b", "failure"]))).toContain('"b" has not passed');
  });

  test("is overridden by administrators, unless the rule is for them, too; the list and signatures are not", () => {
    const strict = {
      requiredApprovals: 1,
      blockOnOutdatedBranch: true,
      enableStatusCheck: true,
      protectedFilePatterns: "*.lock",
    };
    expect(merged(strict, { overrides: true })).toBeNull();
    expect(merged({ ...strict, applyToAdmins: true }, { overrides: true })).not.toBeNull();
    expect(merged({ ...strict, enableMergeList: true }, { overrides: true })).toContain("not on the list");
    const unsigned = known({ "new-commits": { kind: "unsigned", commit: to } });
    expect(merged({ ...strict, requireSignedCommits: true }, { overrides: true }, unsigned)).toContain("signed");
  });

  test("changes no protected files", () => {
    const facts = known({ "file-that-matches": { kind: "file", path: "a.lock" } });
    expect(merged({ protectedFilePatterns: "*.lock" }, {}, facts)).toContain('the file "a.lock" is protected');
  });
});

test("an exact name comes first, then the first pattern that matches", () => {
  const rules = new BranchRules(["**", "release/*", "release/1", "a{b}"].map((ruleName, id) => rule({ id, ruleName })));
  const found = (branch: string) => rules.find(branch)?.ruleName ?? null;
  expect([found("release/1"), found("release/2"), found("x"), found("a{b}")]).toEqual([
    "release/1",
    "**",
    "**",
    "a{b}",
  ]);
  expect(new BranchRules([rule({ ruleName: "a/*" })]).find("a/b/c")).toBeNull();
});

test("a tag needs one rule that matches and lists whoever changes it, where any matches", () => {
  const listed = { namePattern: "v*", listed: true };
  const others = { namePattern: "v1*", listed: false };
  const refuse = (rules: TagRule[], tag: string) => refuseTagChange(new TagRules(rules), tag);
  expect(refuse([], "v1")).toBeNull();
  expect(refuse([others], "v2")).toBeNull();
  expect(refuse([others], "v1.0")).toContain("protected tag v1.0: only the users and teams");
  expect(refuse([others, listed], "v1.0")).toBeNull();
});

test("patterns made to take for ever are not compared for ever", () => {
  const name = "a".repeat(2000);
  const patterns = Array.from({ length: 100 }, (_, id) => `${"*a".repeat(120)}${id}`);
  const rules = new BranchRules(patterns.map((ruleName, id) => rule({ id, ruleName })));
  expect(() => rules.find(name)).toThrow(RulesTooCostly);
  expect(() => new TagRules(patterns.map((namePattern) => ({ namePattern, listed: true }))).find(name)).toThrow(
    RulesTooCostly,
  );
  const statuses = Array.from({ length: 1000 }, (_, at) => ({ context: `${"a".repeat(250)}${at}`, state: "success" }));
  const checked = rule({ enableStatusCheck: true, statusCheckContexts: patterns });
  const merge = { approvals: 0, rejected: false, requested: false, outdated: false, statuses, overrides: false };
  expect(reason(checked, { ...update, merge }, "user", new Facts())).toContain("more than the patterns");
  // Patterns that begin with anything, and thousands of names, are as people make them.
  const ends = new BranchRules(
    ["**-release", "*/hotfix", "{main,dev}", "v[0-9]*"].map((ruleName, id) => rule({ id, ruleName })),
  );
  for (let at = 0; at < 5000; at++) {
    expect(ends.find(`team-${at}/some-feature-with-a-long-name-${at}`)).toBeNull();
  }
  // Those that people make cost next to nothing.
  const common = new BranchRules(
    Array.from({ length: 100 }, (_, id) => rule({ id, ruleName: `team-${id}/{release,hotfix}/**` })),
  );
  for (let at = 0; at < 20_000; at++) {
    common.find(`team-${at % 200}/feature/${at}`);
  }
});
