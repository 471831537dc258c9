import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { repeated } from "../support/thorough.ts";

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

const lines = [
  "*.txt merge=union",
  "*.txt merge=union",
  "f[0-3].txt -merge",
  "docs/** binary",
  "*.txt conflict-marker-size=12",
  "lib/*.txt merge=none-such",
  "f1*.txt joined",
  "src/core/*.txt merge=binary",
  "*.txt !merge",
  "*.txt merge",
  "f3.txt conflict-marker-size=-3",
];
const directories = ["", "src/", "src/core/", "lib/", "docs/"];

type Files = Map<string, string>;

function randomAttributes(random: SeededRandom): Files {
  const some = (): string =>
    Array.from({ length: 1 + random.below(3) }, () => `${lines[random.below(lines.length)]!}\n`).join("");
  const files: Files = new Map([[".gitattributes", `[attr]joined merge=union\n${some()}`]]);
  for (const directory of ["src/", "docs/"]) {
    if (random.below(2) === 0) {
      files.set(`${directory}.gitattributes`, some());
    }
  }
  return files;
}

function firstFiles(): Files {
  return new Map(
    directories.flatMap((directory, at) =>
      [1, 2, 3].map((file): [string, string] => [
        `${directory}f${file}.txt`,
        Array.from({ length: 12 }, (_, line) => `line ${line} of ${at}.${file}\n`).join(""),
      ]),
    ),
  );
}

/** Some lines are other ones, and some files elsewhere. */
function edited(files: Files, random: SeededRandom, word: string): Files {
  return new Map(
    [...files]
      .filter(([path]) => !path.endsWith(".gitattributes"))
      .map(([path, text]) => {
        const changed = text
          .split("\n")
          .map((line) => (line !== "" && random.below(6) === 0 ? `${line} ${word}` : line))
          .join("\n");
        return [random.below(9) === 0 ? path.replace(/f(\d)/, "moved$1") : path, changed];
      }),
  );
}

/** Two commits that are to be merged, whose merge bases are to be merged too. */
function crissCross(random: SeededRandom): { path: string; ours: string; theirs: string; attributes: Files } {
  const path = fixture.repository();
  const attributes = randomAttributes(random);
  const base = firstFiles();
  const [left, right] = [edited(base, random, "left"), edited(base, random, "right")];
  const commits: readonly (readonly [Files, readonly number[]])[] = [
    [base, []],
    [new Map([...left, ...randomAttributes(random)]), [1]],
    [right, [1]],
    [new Map([...edited(left, random, "ours"), ...attributes]), [2, 3]],
    [
      new Map([...edited(right, random, "theirs"), ...(random.below(2) === 0 ? attributes : randomAttributes(random))]),
      [3, 2],
    ],
  ];
  const script = commits.map(([files, parents], at) => {
    const from = parents.map((parent, number) => `${number === 0 ? "from" : "merge"} :${parent}\n`).join("");
    const written = [...files]
      .map(([name, content]) => `M 100644 inline ${name}\ndata ${content.length}\n${content}\n`)
      .join("");
    return `commit refs/heads/c${at}\nmark :${at + 1}\ncommitter C <c@example.org> ${1_700_000_000 + at} +0000\ndata 1\nm\n${from}deleteall\n${written}`;
  });
  fixture.git(path, ["fast-import", "--quiet"], `${script.join("\n")}\n`);
  fixture.git(path, ["repack", "-adq"]);
  const [ours, theirs] = fixture.git(path, ["rev-parse", "c3", "c4"]).toString().trim().split("\n") as [string, string];
  return { path, ours, theirs, attributes };
}

test.each(repeated([1, 2, 3, 4], 1))(
  "files are merged as the attributes of ours say, their common ancestors too (seed %p)",
  async (seed) => {
    const random = randomFrom(seed);
    let changed = 0;
    for (let round = 0; round < 4; round++) {
      const { path, ours, theirs, attributes } = crissCross(random);
      const work = fixture.path("work");
      for (const [name, content] of attributes) {
        mkdirSync(join(work, dirname(name)), { recursive: true });
        writeFileSync(join(work, name), content);
      }
      const merge = ["merge-tree", "--write-tree", "--no-messages", "-z", ours, theirs];
      // Git reads the attributes of its work tree.
      const { exitCode, stdout } = fixture.tryGit(work, [`--git-dir=${path}`, `--work-tree=${work}`, ...merge]);
      const [tree, ...stages] = stdout.toString().split("\0").filter(Boolean);
      const merged = await engine.call(
        { key: `${seed}.${round}:1`, format: "sha1", packs: fixture.packs(path) },
        "mergeTrees",
        { ours, theirs, base: null, labels: { ours, base: "base", theirs } },
      );
      const found = merged.conflicts.flatMap((conflict) =>
        conflict.stages.map(({ mode, oid, stage }) => `${mode.toString(8)} ${oid} ${stage}\t${conflict.path}`),
      );
      expect({ round, attributes, tree: merged.tree, clean: merged.clean, stages: found.toSorted() }).toEqual({
        round,
        attributes,
        tree: tree!,
        clean: exitCode === 0,
        stages: stages.toSorted(),
      });
      changed += fixture.tryGit(path, merge).stdout.equals(stdout) ? 0 : 1;
    }
    expect(changed).toBeGreaterThan(1);
  },
);
