import { afterAll, describe, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import type { LogArgs } from "../../src/git/operations/log.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { makeBranchingHistory } from "./branching-history.ts";
import { generateHistory } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";

const fixture = new GitFixture();
const generated = generateHistory(220, 3);
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 32 << 20,
  log: silentLogger,
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
  generated[Symbol.dispose]();
});

interface Subject {
  readonly view: RepositoryView;
  readonly directory: string;
  readonly branches: number;
  /** besides the files of a tip */
  readonly paths: readonly string[];
}

type Options = Partial<Omit<LogArgs, "tips" | "not">>;

const lines = (text: Buffer): string[] => text.toString().split("\n").filter(Boolean);

/** Any combination of options, as ours and as git's. */
function randomOptions(
  random: SeededRandom,
  paths: readonly string[],
  files: readonly string[],
): { options: Options; flags: string[] } {
  let options: Options = {
    paths:
      random.below(4) === 0
        ? []
        : Array.from({ length: 1 + random.below(2) * random.below(3) }, () => paths[random.below(paths.length)]!),
  };
  const flags: string[] = [];
  const sometimes = (oneIn: number, more: Options, ...added: string[]): void => {
    if (random.below(oneIn) === 0) {
      options = { ...options, ...more };
      flags.push(...added);
    }
  };
  const seconds = 1_700_000_000 + 60 * random.below(220);
  sometimes(4, { firstParent: true }, "--first-parent");
  sometimes(3, { order: "topological" }, "--topo-order");
  sometimes(5, { since: seconds }, `--since=@${seconds}`);
  sometimes(5, { until: seconds + 3000 }, `--until=@${seconds + 3000}`);
  sometimes(8, { message: "1" }, "-F", "--grep=1");
  sometimes(8, { author: "A1" }, "-F", "--author=A1");
  sometimes(8, { committer: "<c" }, "-F", "--committer=<c");
  if (options.order === undefined && files.length > 0) {
    sometimes(4, { follow: true, paths: [files[random.below(files.length)]!] }, "--follow");
  }
  return { options, flags };
}

async function compare({ view, directory, branches, paths }: Subject, seed: number, rounds: number): Promise<number> {
  const random = randomFrom(seed);
  const pick = (): string => lines(fixture.git(directory, ["rev-parse", `b${1 + random.below(branches)}`]))[0]!;
  const some = (): string[] => (random.below(4) === 0 ? [pick(), pick()] : [pick()]);
  let listed = 0;
  for (let round = 0; round < rounds; round++) {
    const tips = some();
    const not = random.below(2) === 0 ? some() : [];
    const files = lines(fixture.git(directory, ["ls-tree", "-r", "--name-only", tips[0]!])).filter(
      (name) => !name.startsWith('"'),
    );
    const { options, flags } = randomOptions(random, paths, files);
    const args = [
      "log",
      "--format=%H",
      ...flags,
      ...tips,
      ...not.map((oid) => `^${oid}`),
      "--",
      ...(options.paths ?? []),
    ];
    const expected = lines(fixture.git(directory, args));
    const all = { tips, not, paths: [], skip: 0, limit: 10_000, count: true, files: false, stats: false, ...options };
    const { commits, total } = await engine.call(view, "log", all);
    expect({ args, oids: commits.map(({ oid }) => oid), total }).toEqual({
      args,
      oids: expected,
      total: expected.length,
    });
    listed += expected.length;
  }
  return listed;
}

describe("any selection of commits is what git log lists, in its order", () => {
  test("in a history with merges, several roots and dates that go back", async () => {
    const { directory, packs } = generated;
    const paths = ["README.md", "dir", "dir/sub/deep.txt", "src", "src/x.ts", "moved", "module", "dir.txt", "nowhere"];
    expect(
      await compare({ view: { key: "1:1", format: "sha1", packs }, directory, branches: 220, paths }, 4, 60),
    ).toBeGreaterThan(200);
  });

  test("in a history with renames", async () => {
    const { path, packs } = makeBranchingHistory(fixture, randomFrom(6), 120);
    const paths = ["src", "src/core", "lib", "docs", "renamed1", "link", "binary", "test/unit"];
    expect(
      await compare({ view: { key: "2:1", format: "sha1", packs }, directory: path, branches: 120, paths }, 5, 60),
    ).toBeGreaterThan(200);
  });

  test("a commit comes before all of its parents, also before those that are not followed", async () => {
    const path = fixture.repository();
    const parents = [[], [1], [1, 2], [2]];
    const script = parents.map((marks, at) => {
      const from = marks.map((mark, number) => `${number === 0 ? "from" : "merge"} :${mark}\n`).join("");
      return `commit refs/heads/b${at + 1}\nmark :${at + 1}\ncommitter C <c@example.org> ${1_700_000_000 + at} +0000\ndata 1\nm\n${from}`;
    });
    fixture.git(path, ["fast-import", "--quiet"], script.join(""));
    fixture.git(path, ["repack", "-adq"]);
    const [third, fourth] = lines(fixture.git(path, ["rev-parse", "b3", "b4"])) as [string, string];
    const view: RepositoryView = { key: "3:1", format: "sha1", packs: fixture.packs(path) };
    const asked = {
      tips: [third, fourth],
      not: [],
      paths: [],
      skip: 0,
      limit: 10,
      count: false,
      files: false,
      stats: false,
      firstParent: true,
      order: "topological",
    } as const;
    const expected = lines(fixture.git(path, ["log", "--format=%H", "--first-parent", "--topo-order", third, fourth]));
    expect((await engine.call(view, "log", asked)).commits.map(({ oid }) => oid)).toEqual(expected);
    expect(expected.slice(0, 2)).toEqual([fourth, third]);
  });
});
