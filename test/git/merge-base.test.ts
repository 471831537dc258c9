import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { times } from "../support/thorough.ts";

const graphs = times(3, 12);

/* Graphs of commits made at random, with criss-cross and octopus merges, several roots and dates that lie. */
const fixture = new GitFixture();
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 16 << 20,
  log: silentLogger,
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

interface Graph {
  readonly path: string;
  readonly oids: readonly string[];
  readonly view: RepositoryView;
}

let made = 0;
function makeGraph(commits: number, random: SeededRandom, format: "sha1" | "sha256" = "sha1"): Graph {
  const path = fixture.repository(format);
  const script: string[] = [];
  for (let mark = 1; mark <= commits; mark++) {
    const seconds = 1_700_000_000 + mark * 100 + random.below(50) - (random.below(12) === 0 ? random.below(3000) : 0);
    script.push(
      `commit refs/heads/b${mark}`,
      `mark :${mark}`,
      `committer C <c@example.org> ${seconds} +0000`,
      "data 1",
      "m",
    );
    const parents = new Set<number>();
    const wanted =
      mark === 1 || random.below(30) === 0
        ? 0
        : random.below(3) > 0
          ? 1
          : random.below(6) > 0
            ? 2
            : 2 + random.below(4);
    for (let parent = 0; parent < wanted; parent++) {
      parents.add(mark - 1 - random.below(Math.min(mark - 1, random.below(8) === 0 ? commits : 9)));
    }
    [...parents].forEach((parent, index) => script.push(`${index === 0 ? "from" : "merge"} :${parent}`));
  }
  fixture.git(path, ["fast-import", "--quiet", "--date-format=raw", "--export-marks=marks"], `${script.join("\n")}\n`);
  fixture.git(path, ["repack", "-adq"]);
  const oids = fixture
    .git(path, ["for-each-ref", "--format=%(objectname)", "refs/heads"])
    .toString()
    .trim()
    .split("\n");
  const directory = join(path, "objects", "pack");
  const packs = readdirSync(directory)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => join(directory, name));
  return { path, oids, view: { key: `${++made}:1`, format, packs } };
}

const listOf = ({ path }: Graph, args: readonly string[]): string[] =>
  fixture.tryGit(path, args).stdout.toString().split("\n").filter(Boolean);

/** Rounds of each question on graphs of the format. */
async function compare(format: "sha1" | "sha256", seed: number, graphs: number, rounds: number): Promise<number> {
  const random = randomFrom(seed);
  let several = 0;
  for (let number = 0; number < graphs; number++) {
    const graph = makeGraph(20 + random.below(90), random, format);
    const pick = (): string => graph.oids[random.below(graph.oids.length)]!;
    for (let round = 0; round < rounds; round++) {
      const commits = Array.from({ length: random.below(3) === 0 ? 2 + random.below(4) : 2 }, pick);
      const all = await engine.call(graph.view, "mergeBases", { commits, mode: "all" });
      expect(all).toEqual(listOf(graph, ["merge-base", "--all", ...commits]));
      several += all.length > 1 ? 1 : 0;
      const octopus = await engine.call(graph.view, "mergeBases", { commits, mode: "octopus" });
      expect(octopus.toSorted()).toEqual(listOf(graph, ["merge-base", "--octopus", "--all", ...commits]).sort());
      const independent = await engine.call(graph.view, "mergeBases", { commits, mode: "independent" });
      expect(independent.toSorted()).toEqual(listOf(graph, ["merge-base", "--independent", ...commits]).sort());
      const [ancestor = "", descendant = ""] = commits;
      const { exitCode } = fixture.tryGit(graph.path, ["merge-base", "--is-ancestor", ancestor, descendant]);
      expect(await engine.call(graph.view, "isAncestor", { ancestor, descendant })).toBe(exitCode === 0);
    }
    const pairs = Array.from({ length: rounds }, () => ({ base: pick(), tip: pick() }));
    const counts = await engine.call(graph.view, "aheadBehind", { pairs });
    expect(counts.map(({ ahead, behind }) => `${behind}\t${ahead}`)).toEqual(
      pairs.flatMap(({ base, tip }) => listOf(graph, ["rev-list", "--left-right", "--count", `${base}...${tip}`])),
    );
  }
  return several;
}

describe("merge bases, ancestry, ahead and behind are what git says", () => {
  test("of graphs made at random", async () => {
    expect(await compare("sha1", 1, graphs, 12)).toBeGreaterThan(graphs / 3);
  });

  test("of a SHA-256 repository", async () => {
    await compare("sha256", 2, 2, 8);
  });

  test("of a repository that packs are added to", async () => {
    const random = randomFrom(4);
    const graph = makeGraph(90, random);
    const packs: string[] = [];
    const known: string[] = [];
    const oids: string[] = [];
    for (const count of [30, 60, 90]) {
      const added = Array.from({ length: 30 }, (_, at) => `refs/heads/b${count - 29 + at}`);
      const into = fixture.path(`packs-${count}`);
      const name = fixture
        .git(graph.path, ["pack-objects", "-q", "--revs", into], `${[...added, ...known].join("\n")}\n`)
        .toString()
        .trim();
      packs.unshift(`${into}-${name}.pack`);
      known.push(...added.map((ref) => `^${ref}`));
      oids.push(...added.flatMap((ref) => listOf(graph, ["rev-parse", ref])));
      const view = { key: `0:${count}`, format: "sha1", packs: [...packs] } as const;
      for (let round = 0; round < 12; round++) {
        const [one, other] = [oids[random.below(oids.length)]!, oids.at(-1 - random.below(8))!];
        const bases = await engine.call(view, "mergeBases", { commits: [one, other], mode: "all" });
        expect(bases).toEqual(listOf(graph, ["merge-base", "--all", one, other]));
        const [counts] = await engine.call(view, "aheadBehind", { pairs: [{ base: one, tip: other }] });
        const [line] = listOf(graph, ["rev-list", "--left-right", "--count", `${one}...${other}`]);
        expect(`${counts!.behind}\t${counts!.ahead}`).toBe(line!);
      }
    }
  });

  test("of hundreds of branches in one walk", async () => {
    const graph = makeGraph(700, randomFrom(3));
    const base = graph.oids.at(-1)!;
    const counts = await engine.call(graph.view, "aheadBehind", { pairs: graph.oids.map((tip) => ({ base, tip })) });
    const sample = [0, 17, 300, 511, 512, 699];
    for (const at of sample) {
      const [line] = listOf(graph, ["rev-list", "--left-right", "--count", `${base}...${graph.oids[at]!}`]);
      expect(`${counts[at]!.behind}\t${counts[at]!.ahead}`).toBe(line!);
    }
    expect(counts).toHaveLength(700);
  });
});
