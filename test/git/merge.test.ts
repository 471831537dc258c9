import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import type { MergedTree } from "../../src/git/merge/merge-trees.ts";
import { mergeText } from "../../src/git/merge/merge-text.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { makeBranchingHistory, type BranchingHistory } from "./branching-history.ts";
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

function randomText(random: SeededRandom): () => [string, string, string] {
  const line = (): string => (random.below(8) < 5 ? `line ${random.below(20)}` : ["", "{", "}"][random.below(3)]!);
  const lines = (count: number): string[] => Array.from({ length: count }, line);
  return () => {
    const end = random.below(6) === 0 ? "\r\n" : "\n";
    const base = lines(random.below(50));
    const change = (): string[] => {
      const changed = [...base];
      for (let edit = random.below(6); edit > 0; edit--) {
        changed.splice(random.below(changed.length + 1), random.below(4), ...lines(random.below(4)));
      }
      return changed;
    };
    const write = (text: readonly string[]): string =>
      text.join(end) + (text.length > 0 && random.below(5) > 0 ? end : "");
    return [write(base), write(change()), write(change())];
  };
}

describe("texts are merged byte for byte as git merge-file does", () => {
  test("whatever the style and the favoured side", () => {
    const random = randomFrom(5);
    const next = randomText(random);
    const directory = fixture.path("texts");
    mkdirSync(directory);
    let conflicts = 0;
    for (let round = 0; round < 120; round++) {
      const [base, ours, theirs] = next();
      writeFileSync(join(directory, "base"), base);
      writeFileSync(join(directory, "ours"), ours);
      writeFileSync(join(directory, "theirs"), theirs);
      const style = random.below(3) === 0 ? "diff3" : "merge";
      const favor = ([null, null, "ours", "theirs", "union"] as const)[random.below(5)]!;
      const markerSize = 5 + random.below(6);
      const options = [
        ...(style === "diff3" ? ["--diff3"] : []),
        ...(favor === null ? [] : [`--${favor}`]),
        `--marker-size=${markerSize}`,
      ];
      const expected = fixture.tryGit(directory, [
        "merge-file",
        "-p",
        "-L",
        "mine",
        "-L",
        "the base",
        "-L",
        "yours",
        ...options,
        "ours",
        "base",
        "theirs",
      ]);
      const labels = { ours: "mine", base: "the base", theirs: "yours" };
      const merged = mergeText(Buffer.from(base), Buffer.from(ours), Buffer.from(theirs), {
        style,
        markerSize,
        labels,
        favor,
        level: "zealous-alnum",
        algorithm: "myers",
      });
      expect(Buffer.from(merged.bytes).toString()).toBe(expected.stdout.toString());
      if (favor === null) {
        expect(merged.conflicts).toBe(expected.exitCode);
        conflicts += merged.conflicts;
      }
    }
    expect(conflicts).toBeGreaterThan(20);
  });

  test("and equal changes of both sides are a conflict at the lowest level only", () => {
    const [base, changed] = [Buffer.from("a\nb\nc\n"), Buffer.from("a\nx\nc\n")];
    const conflictsAt = (level: "minimal" | "eager"): number =>
      mergeText(base, changed, changed, {
        style: "merge",
        markerSize: 7,
        labels: { ours: null, base: null, theirs: null },
        favor: null,
        level,
        algorithm: "myers",
      }).conflicts;
    expect([conflictsAt("minimal"), conflictsAt("eager")]).toEqual([1, 0]);
  });
});

/** What git says of merging two commits; null where it cannot. */
function gitMerge(
  { path }: BranchingHistory,
  ours: string,
  theirs: string,
): { tree: string; clean: boolean; stages: string[] } | null {
  const { exitCode, stdout } = fixture.tryGit(path, [
    "merge-tree",
    "--write-tree",
    "--no-messages",
    "-z",
    "--allow-unrelated-histories",
    ours,
    theirs,
  ]);
  const [tree = "", ...rest] = stdout.toString().split("\0");
  return exitCode > 1 || tree === "" ? null : { tree, clean: exitCode === 0, stages: rest.filter(Boolean).toSorted() };
}

function stagesOf({ conflicts }: MergedTree): string[] {
  return conflicts
    .flatMap(({ path, stages }) => stages.map(({ mode, oid, stage }) => `${mode.toString(8)} ${oid} ${stage}\t${path}`))
    .toSorted();
}

const viewOf = (history: BranchingHistory, key: string, format: "sha1" | "sha256" = "sha1"): RepositoryView => ({
  key,
  format,
  packs: history.packs,
});

describe("commits are merged as git merge-tree does", () => {
  test.each(repeated([1, 2, 7, 10, 13, 16], 2))("with the same tree and the same conflicts (seed %p)", async (seed) => {
    const random = randomFrom(seed);
    const history = makeBranchingHistory(fixture, random, 60);
    const pick = (): string => history.oids[random.below(history.oids.length)]!;
    const found = { clean: 0, conflicts: 0 };
    for (let round = 0; round < 30; round++) {
      const [ours, theirs] = [pick(), pick()];
      const expected = gitMerge(history, ours, theirs);
      const merged = await engine.call(viewOf(history, `${seed}:1`), "mergeTrees", {
        ours,
        theirs,
        base: null,
        labels: { ours, base: "base", theirs },
      });
      expect({ ours, theirs, tree: merged.tree, clean: merged.clean, stages: stagesOf(merged) }).toEqual({
        ours,
        theirs,
        ...expected!,
      });
      found[merged.clean ? "clean" : "conflicts"]++;
    }
    expect(found.clean).toBeGreaterThan(3);
    expect(found.conflicts).toBeGreaterThan(0);
  });

  test("in a SHA-256 repository too", async () => {
    const random = randomFrom(31);
    const history = makeBranchingHistory(fixture, random, 30, "sha256");
    for (let round = 0; round < 8; round++) {
      const [ours, theirs] = [history.oids[random.below(30)]!, history.oids[random.below(30)]!];
      const merged = await engine.call(viewOf(history, "256:1", "sha256"), "mergeTrees", {
        ours,
        theirs,
        base: null,
        labels: { ours, base: "base", theirs },
      });
      expect({ tree: merged.tree, clean: merged.clean, stages: stagesOf(merged) }).toEqual(
        gitMerge(history, ours, theirs)!,
      );
    }
  });

  test("and conflicts say what they are", async () => {
    const work = fixture.path("kinds");
    fixture.git(fixture.directory, ["init", "-q", "-b", "main", work]);
    const commit = (name: string, from: string | null, files: Record<string, string | null>): string => {
      fixture.git(work, ["checkout", "-q", ...(from === null ? ["--orphan", name] : ["-b", name, from])]);
      for (const [file, content] of Object.entries(files)) {
        if (content === null) {
          fixture.git(work, ["rm", "-q", file]);
        } else {
          writeFileSync(join(work, file), content);
          fixture.git(work, ["add", file]);
        }
      }
      fixture.git(work, ["commit", "-q", "-m", name]);
      return fixture.git(work, ["rev-parse", "HEAD"]).toString().trim();
    };
    const long = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
    commit("base", null, { "edit.txt": "a\nb\nc\n", "gone.txt": "x\n", "moved.txt": long });
    const ours = commit("ours", "base", {
      "edit.txt": "a\nours\nc\n",
      "gone.txt": null,
      "new.txt": "ours\n",
      "moved.txt": null,
      "here.txt": long,
    });
    const theirs = commit("theirs", "base", {
      "edit.txt": "a\ntheirs\nc\n",
      "gone.txt": "y\n",
      "new.txt": "theirs\n",
      "moved.txt": null,
      "there.txt": long,
    });
    fixture.git(work, ["repack", "-adq"]);
    const packs = [...new Bun.Glob("*.pack").scanSync({ cwd: join(work, ".git/objects/pack"), absolute: true })];
    const merged = await engine.call({ key: "kinds:1", format: "sha1", packs }, "mergeTrees", {
      ours,
      theirs,
      base: null,
      labels: { ours: "us", base: "base", theirs: "them" },
    });
    expect(merged.clean).toBe(false);
    expect(
      merged.conflicts.map(
        ({ path, kinds, stages }) => `${path}: ${kinds.join()} (${stages.map(({ stage }) => stage).join("")})`,
      ),
    ).toEqual([
      "edit.txt: content (123)",
      "gone.txt: modify/delete (13)",
      "here.txt:  (2)",
      "moved.txt: rename/rename (1)",
      "new.txt: add/add (23)",
      "there.txt:  (3)",
    ]);
  });
});

describe("commitMerge", () => {
  const person = { name: "Mel", email: "mel@example.org", seconds: 1_800_000_000, offsetMinutes: 0 };
  let history: BranchingHistory;
  let destination = { directory: "", temporary: "" };
  beforeAll(() => {
    history = makeBranchingHistory(fixture, randomFrom(2), 60);
    destination = { directory: join(history.path, "published"), temporary: join(history.path, "temporary") };
    mkdirSync(destination.temporary);
  });

  test("writes a merge that git finds whole, and nothing when there are conflicts", async () => {
    const seen = { written: 0, refused: 0 };
    for (let at = 20; at < 60 && (seen.written < 5 || seen.refused === 0); at++) {
      const [ours, theirs] = [history.oids[at]!, history.oids[at - 7]!];
      const args = {
        ours,
        theirs,
        base: null,
        labels: { ours, base: "base", theirs },
        parents: [ours, theirs],
        author: person,
        committer: person,
        message: "Merge\n",
        destination,
      };
      const { commit, merged, pack } = await engine.write(viewOf(history, "9:1"), "commitMerge", args);
      expect({ tree: merged.tree, clean: merged.clean }).toMatchObject({
        tree: gitMerge(history, ours, theirs)!.tree,
        clean: commit !== null,
      });
      if (commit === null || pack === null) {
        expect([commit, pack]).toEqual([null, null]);
        seen.refused++;
        continue;
      }
      for (const path of [pack.path, pack.path.replace(/pack$/, "idx")]) {
        cpSync(path, join(history.path, "objects", "pack", `pack-${path.slice(path.lastIndexOf("/") + 1)}`));
      }
      const shown = fixture.git(history.path, ["log", "-1", "--format=%T %P %an %s", commit]).toString().trim();
      expect(shown).toBe(`${merged.tree} ${ours} ${theirs} Mel Merge`);
      fixture.git(history.path, ["fsck", "--connectivity-only", commit]);
      seen.written++;
    }
    expect(seen.written).toBeGreaterThan(3);
    expect(seen.refused).toBeGreaterThan(0);
  });

  test("picks one commit onto another: what it changed against its parent", async () => {
    let picked = 0;
    for (let at = 30; at < 44; at++) {
      const theirs = history.oids[at]!;
      const ours = history.oids[at - 9]!;
      const [base = ""] = fixture.git(history.path, ["log", "-1", "--format=%P", theirs]).toString().trim().split(" ");
      // For git, the same question is that of merging a commit of our tree whose parent is the base.
      const stand = fixture
        .git(history.path, ["commit-tree", "-p", base, "-m", "stand-in", `${ours}^{tree}`])
        .toString()
        .trim();
      const expected = gitMerge(history, stand, theirs)!;
      const labels = { ours: stand, base: "base", theirs };
      const args = {
        ours,
        theirs,
        base,
        labels,
        parents: [ours],
        author: person,
        committer: person,
        message: "Pick\n",
        destination,
      };
      const { commit, merged } = await engine.write(viewOf(history, "9:1"), "commitMerge", args);
      expect({ tree: merged.tree, clean: merged.clean, stages: stagesOf(merged) }).toEqual(expected);
      picked += commit === null ? 0 : 1;
    }
    expect(picked).toBeGreaterThan(2);
  });
});
