import { expect, test } from "bun:test";
import { BranchRules, TagRules } from "../protections/branch-rules.ts";
import { decideChanges } from "./decide-changes.ts";
import { Facts } from "../protections/facts.ts";
import type { RefChange } from "./queries.ts";
import type { RefPolicy } from "./ref-policy.ts";

const a = "a".repeat(40);
const b = "b".repeat(40);
const change = (name: string, oldOid: string | null, newOid: string | null) => ({ name, oldOid, newOid, peeled: null });
const refusals = (current: Record<string, string>, ...changes: ReturnType<typeof change>[]) =>
  decided(current, changes, {});
const decided = (current: Record<string, string>, changes: readonly RefChange[], policy: Partial<RefPolicy>) =>
  decideChanges(new Map(Object.entries(current)), changes, "refs/heads/main", {
    deny_deletes: false,
    deny_non_fast_forwards: false,
    branches: new BranchRules([]),
    tags: new TagRules([]),
    doer: "user",
    facts: new Facts(),
    ...policy,
  }).map((one) => one.refusal);

test("a ref moves only from where the client saw it", () => {
  expect(refusals({ "refs/heads/x": a }, change("refs/heads/x", a, b))).toEqual([null]);
  expect(refusals({ "refs/heads/x": b }, change("refs/heads/x", a, b))).toEqual([
    `cannot lock ref 'refs/heads/x': is at ${b} but expected ${a}`,
  ]);
  expect(refusals({ "refs/heads/x": a }, change("refs/heads/x", null, b))).toEqual(["reference already exists"]);
  expect(refusals({}, change("refs/heads/x", a, b))).toEqual([
    "cannot lock ref 'refs/heads/x': it does not exist any more",
  ]);
});

test("a name and a directory of that name cannot both be", () => {
  expect(refusals({ "refs/heads/x": a }, change("refs/heads/x/y", null, b))).toEqual([
    "cannot lock ref 'refs/heads/x/y': 'refs/heads/x' exists",
  ]);
  expect(refusals({ "refs/heads/x/y": a }, change("refs/heads/x", null, b))).toEqual([
    "cannot lock ref 'refs/heads/x': 'refs/heads/x/…' exists",
  ]);
  expect(refusals({}, change("refs/heads/x", null, a), change("refs/heads/x/y", null, b))[1]).toContain(
    "'refs/heads/x' exists",
  );
});

test("a name is no longer than its index takes", () => {
  const named = (bytes: number) => `refs/heads/${"é".repeat((bytes - 12) / 2)}x`;
  expect(refusals({}, change(named(2048), null, a), change(named(2050), null, a))).toEqual([
    null,
    "its name has more than 2048 bytes",
  ]);
});

test("a deletion in the same push makes room", () => {
  expect(refusals({ "refs/heads/x": a }, change("refs/heads/x/y", null, b), change("refs/heads/x", a, null))).toEqual([
    null,
    null,
  ]);
  expect(
    refusals(
      { "refs/heads/x": a, "refs/heads/d/e": a },
      change("refs/heads/d/e", a, null),
      change("refs/heads/d", null, b),
    ),
  ).toEqual([null, null]);
});

test("the default branch is moved, not deleted", () => {
  expect(
    refusals(
      { "refs/heads/main": a, "refs/heads/x": a },
      change("refs/heads/main", a, null),
      change("refs/heads/x", a, null),
    ),
  ).toEqual(["refusing to delete the default branch", null]);
  expect(refusals({ "refs/heads/main": a }, change("refs/heads/main", a, b))).toEqual([null]);
});

test("a policy forbids to delete branches, or to force them; tags are free", () => {
  const current = { "refs/heads/x": a, "refs/tags/t": a };
  const deletions = [change("refs/heads/x", a, null), change("refs/tags/t", a, null)];
  expect(decided(current, deletions, { deny_deletes: true })).toEqual(["deletion prohibited", null]);
  expect(decided(current, deletions, { deny_non_fast_forwards: true })).toEqual([null, null]);
  const forced = [
    { ...change("refs/heads/x", a, b), forced: true },
    { ...change("refs/tags/t", a, b), forced: true },
  ];
  expect(decided(current, forced, { deny_non_fast_forwards: true })).toEqual(["non-fast-forward", null]);
  expect(decided(current, forced, { deny_deletes: true })).toEqual([null, null]);
  expect(decided(current, [change("refs/heads/x", a, b)], { deny_non_fast_forwards: true })).toEqual([null]);
});
