import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import type { BlameArgs } from "../../src/git/operations/blame.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom } from "../support/random.ts";
import { blamedLinesOfGit, blamedLinesOfOurs } from "./blamed-lines.ts";
import { makeBranchingHistory } from "./branching-history.ts";
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

const whole: Omit<BlameArgs, "commit" | "path"> = { ranges: [], not: [], ignoreWhitespace: false };

async function own(view: RepositoryView, args: BlameArgs): Promise<string[] | null> {
  const found = await engine.call(view, "blame", args);
  return found === null ? null : blamedLinesOfOurs(found);
}

function gits(repository: string, args: readonly string[]): string[] {
  return blamedLinesOfGit(fixture.git(repository, ["blame", "--line-porcelain", ...args]).toString());
}

describe("blame names the commits that git names", () => {
  const histories = [
    [1, "sha1"],
    [3, "sha256"],
    [2, "sha1"],
  ] as const;

  test.each(repeated(histories, 2))("in histories with renames and merges (seed %p, %s)", async (seed, format) => {
    const random = randomFrom(seed);
    const history = makeBranchingHistory(fixture, random, 80, format);
    const view: RepositoryView = { key: `${seed}:1`, format, packs: history.packs };
    const moved = new Set<string>();
    for (let round = 0; round < 25; round++) {
      const commit = history.oids[79 - random.below(20)]!;
      const entries = fixture
        .git(history.path, ["ls-tree", "-r", commit])
        .toString()
        .trim()
        .split("\n")
        .filter((entry) => !entry.startsWith("160000"));
      const path = entries[random.below(entries.length)]!.split("\t")[1]!;
      const ignoreWhitespace = random.below(3) === 0;
      const not = random.below(3) === 0 ? [history.oids[40 + random.below(20)]!] : [];
      const options = [...(ignoreWhitespace ? ["-w"] : []), commit, ...not.map((oid) => `^${oid}`), "--", path];
      const expected = gits(history.path, options);
      expect({ commit, path, lines: await own(view, { ...whole, commit, path, ignoreWhitespace, not }) }).toEqual({
        commit,
        path,
        lines: expected,
      });
      expected
        .map((line) => line.split(" ")[3]!)
        .filter((name) => name !== path)
        .forEach((name) => moved.add(name));
    }
    expect(moved.size).toBeGreaterThan(1);
  });

  test("in a long file that many commits changed a little, and of some of its lines", async () => {
    const random = randomFrom(9);
    const path = fixture.repository();
    let lines = Array.from(
      { length: 400 },
      (_, line) => `line ${line % 60} of the file, which is long enough to count`,
    );
    const script: string[] = [];
    for (let mark = 1; mark <= 60; mark++) {
      for (let edit = random.below(4); edit >= 0; edit--) {
        const at = random.below(lines.length);
        lines = lines.toSpliced(
          at,
          random.below(4),
          ...Array.from({ length: random.below(4) }, () =>
            random.below(3) === 0 ? "" : `changed ${mark} ${random.below(5)}`,
          ),
        );
      }
      const text = lines.join("\n") + (mark % 7 === 0 ? "" : "\n");
      script.push(
        `commit refs/heads/main\nmark :${mark}\ncommitter C <c@example.org> ${1_700_000_000 + mark} +0000\ndata 1\nm`,
      );
      script.push(mark === 1 ? "" : `from :${mark - 1}`, `M 100644 inline file.txt\ndata ${text.length}\n${text}`);
    }
    fixture.git(path, ["fast-import", "--quiet", "--date-format=raw"], `${script.filter(Boolean).join("\n")}\n`);
    fixture.git(path, ["repack", "-adq"]);
    const directory = join(path, "objects", "pack");
    const packs = readdirSync(directory)
      .filter((name) => name.endsWith(".pack"))
      .map((name) => join(directory, name));
    const commit = fixture.git(path, ["rev-parse", "main"]).toString().trim();
    const view: RepositoryView = { key: "long:1", format: "sha1", packs };
    const args = { ...whole, commit, path: "file.txt" };
    expect(await own(view, args)).toEqual(gits(path, [commit, "--", "file.txt"]));
    const ranges = [
      { start: 20, end: 40 },
      { start: 200, end: 230 },
    ];
    expect(await own(view, { ...args, ranges })).toEqual(
      gits(path, ["-L20,40", "-L200,230", commit, "--", "file.txt"]),
    );
    expect(await own(view, { ...args, path: "nowhere.txt" })).toBeNull();
    // Asked again it comes out of the cache, and is the same.
    expect(await own(view, { ...args, ranges })).toEqual(
      gits(path, ["-L20,40", "-L200,230", commit, "--", "file.txt"]),
    );
  });
});
