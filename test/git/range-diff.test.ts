import { afterAll, describe, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import type { RangeDiffArgs, RangePair } from "../../src/git/operations/range-diff.ts";
import { assign } from "../../src/git/range-diff/assign.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { times } from "../support/thorough.ts";
import { GitFixture } from "./git-fixture.ts";

const fixture = new GitFixture();
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 32 << 20,
  log: silentLogger,
});
const bounds = { maxCommits: 100, maxBytes: 1 << 22, maxLines: 100_000 };

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

interface Repository {
  readonly path: string;
  readonly view: RepositoryView;
}

type Files = ReadonlyMap<string, string>;

interface Step {
  readonly message: string;
  readonly author: string;
  readonly change: (files: Map<string, string>) => void;
}

const names = ["a.txt", "src/b.c", "src/c d.ts", "docs/ä.md", "e"];
const word = (random: SeededRandom): string => `line ${random.below(40)}${random.below(9) === 0 ? "  " : ""}`;

function randomText(random: SeededRandom): string {
  return `${Array.from({ length: 5 + random.below(40) }, () => word(random)).join("\n")}${random.below(4) === 0 ? "" : "\n"}`;
}

/** A change that can be made again on other files: it names its place and what it writes there. */
function randomStep(random: SeededRandom): Step {
  const name = names[random.below(names.length)]!;
  const other = `${name}-${random.below(3)}`;
  const kind = random.below(9);
  const place = random.below(1000);
  const lines = Array.from({ length: 1 + random.below(5) }, () => word(random));
  const text = randomText(random);
  const change = (files: Map<string, string>): void => {
    const now = files.get(name);
    if (kind === 0) {
      files.set(other, text);
    } else if (kind === 1 && now !== undefined) {
      files.delete(name);
      files.set(other, now);
    } else if (kind === 2) {
      files.delete(name);
    } else if (kind === 3) {
      files.set(name, `\0${text}`);
    } else if (kind !== 4) {
      const parts = (now ?? text).split("\n");
      parts.splice(place % parts.length, place % 3, ...lines);
      files.set(name, parts.join("\n"));
    }
  };
  const body = random.below(3) === 0 ? `\n\nWhy:\n\n\tIt was  \ntoo ${word(random)}\n\n\n` : "\n";
  return { message: `${word(random)} ${random.below(100)}${body}`, author: `A${random.below(3)}`, change };
}

/** The steps as they are after a rebase: some are gone, others are new, moved, or look different. */
function rewritten(random: SeededRandom, steps: readonly Step[]): Step[] {
  const after = steps.flatMap((step): Step[] => {
    const choice = random.below(12);
    if (choice === 0) {
      return [];
    }
    if (choice === 1) {
      return [step, randomStep(random)];
    }
    if (choice === 2) {
      return [{ ...step, message: `${step.message.trimEnd()} again\n` }];
    }
    if (choice < 5) {
      const more = randomStep(random);
      return [{ ...step, change: (files) => (step.change(files), more.change(files)) }];
    }
    return [step];
  });
  if (after.length > 2 && random.below(2) === 0) {
    const [moved] = after.splice(random.below(after.length), 1);
    after.splice(random.below(after.length + 1), 0, moved!);
  }
  return after;
}

function repositoryOf(
  write: (commit: (branch: string, from: string | null, files: Files, step: Step) => void) => void,
) {
  const path = fixture.repository();
  const script: string[] = [];
  let seconds = 1_700_000_000;
  write((branch, from, files, { message, author }) => {
    seconds += 60;
    script.push(
      `commit refs/heads/${branch}`,
      `author ${author} <a@example.org> ${seconds} +0000`,
      `committer C <c@example.org> ${seconds} +0000`,
      `data ${Buffer.byteLength(message)}`,
      message,
      // A branch goes on from where it is.
      ...(from === null || from === branch ? [] : [`from refs/heads/${from}`]),
      "deleteall",
    );
    for (const [name, text] of files) {
      script.push(`M 100644 inline ${JSON.stringify(name)}`, `data ${Buffer.byteLength(text)}`, text);
    }
  });
  fixture.git(path, ["fast-import", "--quiet", "--force"], `${script.join("\n")}\n`);
  fixture.git(path, ["repack", "-adq"]);
  return { path, view: { key: path, format: "sha1", packs: fixture.packs(path) } as RepositoryView };
}

function randomRepository(random: SeededRandom): Repository {
  const base = new Map(names.map((name) => [name, randomText(random)]));
  const steps = Array.from({ length: 1 + random.below(9) }, () => randomStep(random));
  return repositoryOf((commit) => {
    const begin: Step = { message: "begin\n", author: "A", change: () => {} };
    commit("base", null, base, begin);
    const series = (branch: string, list: readonly Step[], start: Map<string, string>) => {
      let from = "base";
      for (const step of list) {
        step.change(start);
        commit(branch, from, start, step);
        from = branch;
      }
    };
    series("old", steps, new Map(base));
    const moved = new Map(base);
    randomStep(random).change(moved);
    commit("base", "base", moved, begin);
    series("new", rewritten(random, steps), moved);
  });
}

const oidOf = ({ path }: Repository, name: string): string => fixture.git(path, ["rev-parse", name]).toString().trim();

async function ours(repository: Repository, args: Partial<RangeDiffArgs> = {}) {
  const [before, after, base] = ["old", "new", "base"].map((name) => oidOf(repository, name)) as [
    string,
    string,
    string,
  ];
  return engine.call(repository.view, "rangeDiff", { before, after, not: [base], ...bounds, ...args });
}

/** As `git range-diff` prints it; the numbers of commits are left out, as their oids say the same. */
function printed(pairs: readonly RangePair[]): string {
  const lines = pairs.flatMap(({ before, after, isSame, hunks }) => {
    const sign = before === null ? ">" : after === null ? "<" : isSame ? "=" : "!";
    return [
      `${before?.oid ?? "-"} ${sign} ${after?.oid ?? "-"}`,
      ...hunks.flatMap(({ heading, lines: own }) => [
        `    @@${heading === "" ? "" : ` ${heading}`}`,
        ...own.map((line) => `    ${line === "\\" ? "\\ No newline at end of file" : line}`),
      ]),
    ];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function byGit({ path }: Repository): string {
  const text = fixture
    .git(path, [
      "-c",
      "core.abbrev=40",
      "range-diff",
      "--no-color",
      "--no-dual-color",
      "--no-notes",
      "base..old",
      "base..new",
    ])
    .toString();
  return text.replaceAll(
    /^ *(?:\d+|-): +(\S+) ([<>=!]) +(?:\d+|-): +(\S+) .*$/gm,
    (_, old: string, sign, now: string) => [old, sign, now].map((one) => one.replace(/^-+$/, "-")).join(" "),
  );
}

describe("two versions of a series of commits are paired as git range-diff pairs them", () => {
  test("whatever became of them", async () => {
    const random = randomFrom(11);
    const signs = new Set<string>();
    for (let round = 0; round < times(30, 400); round++) {
      const repository = randomRepository(random);
      const pairs = await ours(repository);
      const text = printed(pairs ?? []);
      expect(text).toBe(byGit(repository));
      for (const sign of text.match(/ [<>=!] /g) ?? []) {
        signs.add(sign);
      }
    }
    expect([...signs].toSorted()).toEqual([" ! ", " < ", " = ", " > "]);
  });

  test("a series that nothing became of, and one that nothing was", async () => {
    const step: Step = { message: "one\n", author: "A", change: () => {} };
    const repository = repositoryOf((commit) => {
      commit("base", null, new Map([["a", "1\n"]]), step);
      commit("old", "base", new Map([["a", "2\n"]]), step);
      commit("new", "base", new Map([["a", "1\n"]]), step);
    });
    expect(printed((await ours(repository)) ?? [])).toBe(byGit(repository));
    const [old, base] = [oidOf(repository, "old"), oidOf(repository, "base")];
    const gone = await ours(repository, { before: old, after: base });
    expect(gone?.map(({ before, after }) => [before?.oid, after])).toEqual([[old, null]]);
    const came = await ours(repository, { before: base, after: old });
    expect(came?.map(({ before, after }) => [before, after?.oid])).toEqual([[null, old]]);
    expect(await ours(repository, { before: base, after: base })).toEqual([]);
  });

  test("within its bounds", async () => {
    const random = randomFrom(3);
    const repository = randomRepository(random);
    expect(await ours(repository, { maxCommits: 0 })).toBeNull();
    expect(await ours(repository, { maxBytes: 10 })).toBeNull();
    const cut = (await ours(repository, { maxLines: 1 })) ?? [];
    expect(cut.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines)).length).toBeLessThanOrEqual(1);
    const missing = await ours(repository, { before: "1".repeat(40) }).catch(String);
    expect(missing).toContain("Cannot find the object 1111");
  });
});

describe("an assignment", () => {
  /** The least that any assignment costs, by trying all. */
  function least(size: number, costs: Int32Array, row = 0, taken = 0): number {
    if (row === size) {
      return 0;
    }
    let best = Number.POSITIVE_INFINITY;
    for (let column = 0; column < size; column++) {
      if ((taken & (1 << column)) === 0) {
        best = Math.min(best, costs[row * size + column]! + least(size, costs, row + 1, taken | (1 << column)));
      }
    }
    return best;
  }

  test("costs as little as any", () => {
    const random = randomFrom(7);
    for (let round = 0; round < times(200, 2000); round++) {
      const size = 1 + random.below(7);
      const costs = Int32Array.from({ length: size * size }, () => random.below(1 + random.below(30)));
      const rows = assign(size, costs);
      expect([...rows].toSorted()).toEqual(Array.from({ length: size }, (_, row) => row));
      const cost = rows.reduce((sum, row, column) => sum + costs[row * size + column]!, 0);
      expect(cost).toBe(least(size, costs));
    }
  });
});
