import { afterAll, describe, expect, test } from "bun:test";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { findLastCommits, type FoundLastCommits } from "../../src/git/log/last-commits.ts";
import { objectFormat } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { randomFrom } from "../support/random.ts";
import { makeBranchingHistory } from "./branching-history.ts";
import { GitFixture } from "./git-fixture.ts";

const fixture = new GitFixture();
const caches = new EngineCaches(32 << 20);
const commits = 300;
const { path: repository, packs, oids } = makeBranchingHistory(fixture, randomFrom(41), commits);
const db = ObjectDatabase.open(objectFormat("sha1"), packs, caches);
const reader = new RepositoryReader(db);

afterAll(() => {
  reader[Symbol.dispose]();
  caches[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

function find(
  commit: number,
  path: string,
  known: Parameters<typeof findLastCommits>[3] = new Map(),
): FoundLastCommits {
  const walk = findLastCommits(reader.graph, commit, path, known);
  let step = walk.next();
  while (step.done !== true) {
    step = walk.next();
  }
  return step.value;
}

const byName = ({ names, commits: found }: FoundLastCommits) =>
  new Map(names.map((name, index) => [name, found[index]!]));

describe("a walk that comes to a commit whose answer is known", () => {
  test.each(["", "src", "docs/old"])("finds what a walk of the whole history finds, in %p", (path) => {
    const random = randomFrom(7);
    for (let round = 0; round < 60; round++) {
      const start = db.findHex(oids[commits - 1 - random.below(60)]!);
      const known = new Map(
        Array.from({ length: 3 }, () => db.findHex(oids[random.below(commits)]!)).map((at) => [
          at,
          byName(find(at, path)),
        ]),
      );
      const whole = find(start, path);
      const continued = find(start, path, known);
      expect([...continued.commits]).toEqual([...whole.commits]);
      expect(continued.names).toEqual(whole.names);
    }
  });

  test("goes no further: what is known stands in its answer", () => {
    const [tip, parent] = [
      oids.at(-1)!,
      fixture
        .git(repository, ["rev-parse", `${oids.at(-1)}^`])
        .toString()
        .trim(),
    ];
    const before = find(db.findHex(parent), "");
    const marked = new Map(before.names.map((name) => [name, 12_345]));
    const after = find(db.findHex(tip), "", new Map([[db.findHex(parent), marked]]));
    const unchanged = [...after.commits].filter((at) => at === 12_345);
    expect(unchanged.length).toBeGreaterThan(0);
    expect([...after.commits].every((at) => at === 12_345 || at >= 0)).toBe(true);
  });
});
