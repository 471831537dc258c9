import { describe, expect, test } from "bun:test";
import { explainRule, type ExplainedRule } from "./explain-rule.ts";

const words = (columns: ExplainedRule["columns"], lists: ExplainedRule["lists"] = {}) =>
  explainRule({ columns, lists }).map(({ text }) => text);

describe("a rule in words", () => {
  test("of no rule: everything is allowed to those who may write", () => {
    expect(explainRule(null)).toHaveLength(1);
    expect(explainRule(null).some(({ limits }) => limits)).toBeFalse();
  });

  test("that allows nothing", () => {
    expect(words({})).toEqual([
      "Nobody may push to it: changes come by pull requests",
      "Nobody may drop commits from it (force push)",
      "Nobody may delete it",
      "Everybody who may write to the code may merge into it",
    ]);
  });

  test("names those on its lists; a list that is not enabled says nothing", () => {
    const lists = {
      push: { users: ["alice", "bob"], teams: ["core"] },
      delete: { users: ["eve"], teams: [] },
      merge: { users: ["eve"], teams: [] },
    };
    const columns = {
      enablePush: true,
      enablePushList: true,
      pushDeployKeys: true,
      enableForcePush: true,
      enableDelete: true,
    };
    expect(words(columns, lists)).toEqual([
      "Only alice, bob, the team core and deploy keys that may write may push to it",
      "Those who may push to it may also drop commits from it (force push)",
      "Everybody who may write to the code may delete it",
      "Everybody who may write to the code may merge into it",
    ]);
    const only = { ...columns, enableForcePushList: true, enableDeleteList: true, enableMergeList: true };
    expect(words(only, lists)).toContain("Of those, only nobody may drop commits from it (force push)");
    expect(words(only, lists)).toContain("Only eve may delete it");
    expect(words(only, lists)).toContain("Only eve may merge into it");
  });

  test("asks for approvals and checks, of administrators only where it says so", () => {
    const columns = {
      enablePush: true,
      requiredApprovals: 2,
      enableStatusCheck: true,
      statusCheckContexts: ["ci", "lint"],
    };
    const override = "Administrators of the repository may merge in spite of missing approvals, reviews and checks";
    expect(words(columns)).toContain("A merge takes 2 approvals");
    expect(words(columns)).toContain("The status checks ci and lint have to pass");
    expect(words(columns)).toContain(override);
    expect(words({ ...columns, applyToAdmins: true })).not.toContain(override);
    expect(words({ ...columns, statusCheckContexts: [] })).toContain(
      "There has to be a status check, and all of them have to pass",
    );
    const by = { ...columns, requiredApprovals: 1, enableApprovalsList: true };
    expect(words(by, { approvals: { users: ["eve"], teams: [] } })).toContain("A merge takes 1 approval by eve");
  });

  test("says which files are free and which are kept", () => {
    const columns = { unprotectedFilePatterns: "docs/**", protectedFilePatterns: ".ci.yml; Secrets/*" };
    expect(words(columns)).toContain(
      "Everybody who may write to the code may push to it what changes only files like docs/**",
    );
    expect(words(columns)).toContain("Nobody may push to it what changes files like .ci.yml and secrets/*");
  });
});
