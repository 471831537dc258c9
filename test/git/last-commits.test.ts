import { afterAll, describe, expect, test } from "bun:test";
import { RepositoryReader } from "../../src/git/graph/repository-reader.ts";
import { findLastCommits, type FoundLastCommits, type WantedEntries } from "../../src/git/log/last-commits.ts";
import { objectFormat } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { randomFrom } from "../support/random.ts";
import { makeBranchingHistory } from "./branching-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { times } from "../support/thorough.ts";

const most = times(15, 60);

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

function find(commit: number, path: string, known: WantedEntries["known"] = new Map()): FoundLastCommits {
  return run(findLastCommits(reader.graph, commit, [{ path, names: null, known }]))[0]!;
}

function run<Result>(walk: Generator<void, Result>): Result {
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
    for (let round = 0; round < most; round++) {
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

test("one walk finds entries of several directories, and only those that are asked for", () => {
  const random = randomFrom(9);
  for (let round = 0; round < most; round++) {
    const start = db.findHex(oids[commits - 1 - random.below(100)]!);
    const paths = ["", "src", "docs/old", "src/core", "none"];
    const whole = paths.map((path) => find(start, path));
    const names = whole.map((each) => new Set([...each.names.filter(() => random.below(2) === 0), "no such name"]));
    const some = run(
      findLastCommits(
        reader.graph,
        start,
        paths.map((path, index) => ({ path, names: names[index]!, known: new Map() })),
      ),
    );
    some.forEach((each, index) => {
      const expected = [...byName(whole[index]!)].filter(([name]) => names[index]!.has(name));
      expect([...byName(each)]).toEqual(expected);
    });
  }
});
