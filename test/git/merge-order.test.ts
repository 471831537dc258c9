import { afterAll, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { repeated } from "../support/thorough.ts";

/*
 * Directories of files that are equal or nearly so, each side moving them to several places: which file went where is
 * often a draw, that git settles by the order of its hash tables.
 */
const fixture = new GitFixture();
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
});

type Files = Map<string, string>;

function pick<Item>(random: SeededRandom, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

function firstFiles(random: SeededRandom, directories: readonly string[]): Files {
  const kinds = 2 + random.below(12);
  const files: Files = new Map();
  for (const directory of directories) {
    for (let name = 0; name < 6; name++) {
      const kind = random.below(kinds);
      const own = random.below(2) === 0 ? "" : `${directory}\n`;
      if (random.below(3) > 0) {
        files.set(
          `${directory}n${name}`,
          Array.from({ length: 12 }, (_, line) => `line ${line} of ${kind}\n`).join("") + own,
        );
      }
    }
  }
  return files;
}

function movedAbout(random: SeededRandom, base: Files, directories: readonly string[], side: string): Files {
  let files = new Map(base);
  for (const directory of directories) {
    const before = files;
    files = new Map(before);
    const change = pick(random, ["none", "edit", "scatter", "move"]);
    const targets = Array.from({ length: 1 + random.below(3) }, () =>
      random.below(3) > 0 ? `${side}${random.below(6)}/` : pick(random, directories),
    );
    for (const [path, content] of before) {
      const name = path.slice(directory.length);
      if (change === "none" || !path.startsWith(directory) || name.includes("/")) {
        continue;
      }
      if (change === "edit") {
        files.set(path, random.below(2) === 0 ? content : `${content}edited by ${side}\n`);
      } else if (change === "move" || random.below(4) > 0) {
        files.delete(path);
        files.set(
          (change === "move" ? targets[0]! : pick(random, targets)) + name,
          change === "move" || random.below(2) === 0 ? content : `${content}moved ${random.below(3)}\n`,
        );
      }
    }
    if (random.below(3) === 0) {
      files.set(`${directory}new${random.below(3)}`, `new of ${side}, ${random.below(5)}\n`);
    }
  }
  return files;
}

/** A repository of three commits, the second and the third made of the first. */
function repositoryOf(trees: readonly Files[]): { path: string; commits: readonly string[] } {
  const path = fixture.repository();
  const script = trees.flatMap((files, at) => [
    `commit refs/heads/c${at}\nmark :${at + 1}\ncommitter C <c@example.org> 1700000000 +0000\ndata 1\nm${at === 0 ? "" : "\nfrom :1"}\ndeleteall`,
    ...[...files].map(([name, content]) => `M 100644 inline ${name}\ndata ${content.length}\n${content}`),
  ]);
  fixture.git(path, ["fast-import", "--quiet"], `${script.join("\n")}\n`);
  fixture.git(path, ["repack", "-adq"]);
  return { path, commits: fixture.git(path, ["rev-parse", "c0", "c1", "c2"]).toString().trim().split("\n") };
}

/** What we make of the last two commits of a repository is what git makes of them. */
async function expectSameMerge({ path, commits }: ReturnType<typeof repositoryOf>): Promise<string[]> {
  const [, ours, theirs] = commits as [string, string, string];
  const { exitCode, stdout } = fixture.tryGit(path, [
    "merge-tree",
    "--write-tree",
    "--no-messages",
    "-z",
    ours,
    theirs,
  ]);
  const [tree, ...stages] = stdout.toString().split("\0").filter(Boolean);
  const merged = await engine.call({ key: `${path}:1`, format: "sha1", packs: fixture.packs(path) }, "mergeTrees", {
    ours,
    theirs,
    base: null,
    labels: { ours, base: "base", theirs },
  });
  const found = merged.conflicts.flatMap((conflict) =>
    conflict.stages.map(({ mode, oid, stage }) => `${mode.toString(8)} ${oid} ${stage}\t${conflict.path}`),
  );
  expect({ tree: merged.tree, clean: merged.clean, stages: found.toSorted() }).toEqual({
    tree: tree!,
    clean: exitCode === 0,
    stages: stages.toSorted(),
  });
  return merged.conflicts.map((conflict) => conflict.path);
}

test.each(repeated([1, 2, 5, 10, 11, 20, 25, 47], 2))(
  "of equally likely renames git's are chosen (seed %p)",
  async (seed) => {
    const random = randomFrom(seed);
    const directories = Array.from(
      { length: 2 + random.below(seed % 5 === 0 ? 80 : 8) },
      (_, at) => `d${at}/${random.below(3) === 0 ? `sub${random.below(3)}/` : ""}`,
    );
    const base = firstFiles(random, directories);
    await expectSameMerge(
      repositoryOf([base, movedAbout(random, base, directories, "x"), movedAbout(random, base, directories, "y")]),
    );
  },
);

test("of two equal files the first in the order of trees, where a directory's name ends in a slash, is the renamed one", async () => {
  const [plain, other, added] = ["plain\n", "other\n", "added\n"];
  const base = new Map([
    ["old/static/plain", plain],
    ["old/other", other],
  ]);
  const ours = new Map([...base, ["old/static/added", added]]);
  const theirs = new Map([
    ["new/static/plain", plain],
    ["new/static-more/plain", plain],
    ["new/other", other],
  ]);
  expect(await expectSameMerge(repositoryOf([base, ours, theirs]))).toEqual(["new/static-more/added"]);
});
