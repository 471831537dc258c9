import { expect, test } from "bun:test";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { RepositoryArchived } from "../../src/domain/spine/errors.ts";
import { moveRefs, RefsRefused } from "../../src/domain/git/refs/move-refs.ts";
import { BranchRules, TagRules } from "../../src/domain/git/protections/branch-rules.ts";
import { Facts } from "../../src/domain/git/protections/facts.ts";
import type { RefPolicy } from "../../src/domain/git/refs/ref-policy.ts";
import { decideChanges } from "../../src/domain/git/refs/decide-changes.ts";
import { readRefs, type RefChange } from "../../src/domain/git/refs/queries.ts";
import { randomFrom } from "../support/random.ts";
import { useTestApp } from "../support/test-app.ts";

/** Refs are changed by looking at few of those that there are: the outcome is that of looking at all. */

const app = await useTestApp();
const alice = await app.user("alice");
const { db, sql } = app.forge.database;
const random = randomFrom(11);
const oids = ["a", "b"].map((digit) => digit.repeat(40));
const some = <Value>(values: readonly Value[]): Value => values[random.below(values.length)]!;
const policy: RefPolicy = {
  deny_deletes: false,
  deny_non_fast_forwards: false,
  branches: new BranchRules([]),
  tags: new TagRules([]),
  doer: "user",
  facts: new Facts(),
};
// "-" and "." sort before the slash, "0" behind it.
const name = (): string =>
  `refs/${some(["heads", "heads", "tags"])}/${Array.from({ length: 1 + random.below(3) }, () => some(["a", "a-", "a.", "a0", "b"])).join("/")}`.replace(
    /\.(\/|$)/g,
    ".x$1",
  );

test("random changes of refs that stand in each other's way", async () => {
  const { id } = await app.repository(alice, "random", { default_branch: "main" });
  const seen = { done: 0, refused: 0, conflicts: 0 };
  for (let round = 0; round < 140; round++) {
    const before = await readRefs(db, id);
    const names = new Set(
      Array.from({ length: 1 + random.below(6) }, () =>
        before.size > 0 && random.below(2) === 0 ? some([...before.keys()]) : name(),
      ),
    );
    if (round % 12 === 11) {
      before.forEach((_, one) => names.add(one));
    }
    const changes: RefChange[] = [...names].flatMap((one) => {
      const there = before.get(one) ?? null;
      const oldOid = round % 12 !== 11 && random.below(6) === 0 ? some([null, ...oids]) : there;
      const newOid = there !== null && (round % 12 === 11 || random.below(3) === 0) ? null : some(oids);
      return oldOid === null && newOid === null ? [] : [{ name: one, oldOid, newOid, peeled: null }];
    });
    const [row] = await sql`select default_branch from repository where id = ${id}`;
    const expected = decideChanges(before, changes, `refs/heads/${row?.["default_branch"]}`, policy).map(
      ({ refusal }) => refusal,
    );
    const atomic = random.below(4) === 0;
    const repository = { id, name: "random", private: false, owner: { id: alice.id, name: "alice" } };
    const decided = await app.forge
      .change(serverDoer("test"), (work) => moveRefs(work, { repository, reason: "test", changes, single: !atomic }))
      .catch((error: unknown) => {
        expect(error).toBeInstanceOf(RefsRefused);
        return (error as RefsRefused).decided;
      });
    expect(decided.map(({ refusal }) => refusal)).toEqual(expected);
    const after = new Map(before);
    if (!atomic || expected.every((refusal) => refusal === null)) {
      changes.forEach(
        ({ name: one, newOid }, at) =>
          expected[at] === null && (newOid === null ? after.delete(one) : after.set(one, newOid)),
      );
    }
    expect(new Map([...(await readRefs(db, id))].sort())).toEqual(new Map([...after].sort()));
    expect((await app.forge.git.refs.listRefs(id)).map(({ name: one, oid, peeled }) => [one, oid, peeled])).toEqual(
      [...after].sort(([left], [right]) => (left < right ? -1 : 1)).map(([one, oid]) => [one, oid, null]),
    );
    expect((await app.forge.git.refs.listOids(id)).sort()).toEqual([...new Set(after.values())].sort());
    const [state] = await sql`select empty from repository where id = ${id}`;
    expect(state?.["empty"]).toBe(![...after.keys()].some((one) => one.startsWith("refs/heads/")));
    seen.done += expected.filter((refusal) => refusal === null).length;
    seen.refused += expected.filter((refusal) => refusal !== null).length;
    seen.conflicts += expected.filter(
      (refusal) => refusal?.includes("exists") === true && refusal.startsWith("cannot"),
    ).length;
  }
  expect(Math.min(seen.done, seen.refused, seen.conflicts)).toBeGreaterThan(5);
});

test("no ref of an archived repository moves, not even in the server's name", async () => {
  const { id } = await app.repository(alice, "archived");
  await sql`update repository set archived_at = now() where id = ${id}`;
  const repository = { id, name: "archived", private: false, owner: { id: alice.id, name: "alice" } };
  const changes = [{ name: "refs/heads/main", oldOid: null, newOid: oids[0]!, peeled: null }];
  const moving = app.forge.change(serverDoer("test"), (work) =>
    moveRefs(work, { repository, reason: "test", changes, single: true }),
  );
  expect(await moving.catch((error: unknown) => error)).toBeInstanceOf(RepositoryArchived);
  expect(await readRefs(db, id)).toEqual(new Map());
});
