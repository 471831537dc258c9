import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GitEngine } from "../../src/git/engine.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import type { PickCommitsArgs } from "../../src/git/operations/pick-commits.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom } from "../support/random.ts";
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
/** As `GitFixture` has real git commit. */
const committer = { name: "C", email: "c@example.com", seconds: 1_700_000_000, offsetMinutes: 0 };

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

interface Repository {
  readonly path: string;
  readonly view: RepositoryView;
}

const git = (cwd: string, ...args: string[]): string => fixture.git(cwd, args).toString().trim();

/** Rebases with the engine, and returns the new tip; null for a conflict. */
async function rebase(
  { path, view }: Repository,
  onto: string,
  head: string,
  options: Partial<Pick<PickCommitsArgs, "merge">> & { messageIfLast?: string } = {},
): Promise<string | null> {
  const commits = await engine.call(view, "commitsToPick", { onto, head });
  const temporary = fixture.path("temporary");
  mkdirSync(temporary);
  const { tip, conflict, pack } = await engine.write(view, "pickCommits", {
    onto,
    commits: commits.map(({ oid }) => ({ oid, messageIfLast: options.messageIfLast ?? null })),
    committer,
    merge: options.merge ?? null,
    destination: { directory: fixture.path("published"), temporary },
  });
  expect(tip === null).toBe(conflict !== null);
  if (pack !== null) {
    for (const file of [pack.path, pack.path.replace(/pack$/, "idx")]) {
      cpSync(file, join(path, "objects", "pack", `pack-${file.slice(file.lastIndexOf("/") + 1)}`));
    }
  }
  return tip;
}

/** Has git rebase in a work tree, and returns the new tip; null for a conflict. */
function rebaseByGit(work: string, onto: string, head: string): string | null {
  fixture.git(work, ["checkout", "-q", "-f", "--detach", head]);
  fixture.git(work, ["clean", "-qffdx"]);
  const { exitCode } = fixture.tryGit(work, ["rebase", "-q", onto]);
  if (exitCode !== 0) {
    fixture.git(work, ["rebase", "--abort"]);
    return null;
  }
  return git(work, "rev-parse", "HEAD");
}

/** A repository with the branches that `make` commits in its work tree. */
function repositoryOf(make: (commit: (branch: string, files: Record<string, string>) => string, work: string) => void) {
  const work = fixture.path("work");
  fixture.git(fixture.directory, ["init", "-q", "-b", "main", work]);
  make((branch, files) => {
    if (git(work, "branch", "--show-current") !== branch) {
      fixture.git(work, [
        "checkout",
        "-q",
        ...(fixture.tryGit(work, ["rev-parse", branch]).exitCode === 0 ? [] : ["-b"]),
        branch,
      ]);
    }
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(work, name), content);
    }
    fixture.git(work, ["add", "-A"]);
    fixture.git(work, ["commit", "-q", "--allow-empty", "-m", `change ${Object.keys(files).join()} of ${branch}`]);
    return git(work, "rev-parse", "HEAD");
  }, work);
  fixture.git(work, ["repack", "-adq"]);
  const path = join(work, ".git");
  const packs = [...new Bun.Glob("*.pack").scanSync({ cwd: join(path, "objects/pack"), absolute: true })];
  return { work, repository: { path, view: { key: `${work}:1`, format: "sha1", packs } as const } };
}

describe("commits are picked as git rebase does, to the same oid", () => {
  test.each(repeated([3, 21], 1))("in random histories (seed %p)", async (seed) => {
    const random = randomFrom(seed);
    const history = makeBranchingHistory(fixture, random, 40);
    const repository = {
      path: history.path,
      view: { key: `${seed}:1`, format: "sha1", packs: history.packs } as const,
    };
    const work = fixture.path("clone");
    fixture.git(fixture.directory, ["clone", "-q", "--shared", "--no-checkout", history.path, work]);
    const seen = { rebased: 0, conflicts: 0 };
    for (let round = 0; round < 9; round++) {
      const at = 6 + random.below(34);
      const head = history.oids[at]!;
      const onto = history.oids[Math.max(0, at - 4 + random.below(8)) % 40]!;
      const expected = rebaseByGit(work, onto, head);
      expect({ onto, head, tip: await rebase(repository, onto, head) }).toEqual({ onto, head, tip: expected });
      seen[expected === null ? "conflicts" : "rebased"]++;
    }
    expect(seen.rebased).toBeGreaterThan(1);
    expect(seen.conflicts).toBeGreaterThan(0);
  });

  test("many commits of one large file, with one version of it in memory and in the pack", async () => {
    const lines = 10_000;
    const text = (changed: number, last = "last") =>
      Array.from({ length: lines }, (_, line) =>
        line === lines - 1 ? `${last}\n` : line < 2 * changed && line % 2 === 0 ? `new ${line}\n` : `line ${line}\n`,
      ).join("");
    const { work, repository } = repositoryOf((commit) => {
      commit("main", { "a.txt": text(0), "b.txt": "b\n" });
      for (let version = 1; version <= 60; version++) {
        commit("topic", { "a.txt": text(version) });
      }
      commit("main", { "a.txt": text(0, "theirs") });
    });
    const [onto, head] = [git(work, "rev-parse", "main"), git(work, "rev-parse", "topic")];
    const tip = await rebase(repository, onto, head);
    expect(tip).toBe(rebaseByGit(work, onto, head));
    const made = git(work, "rev-list", "--objects", `${onto}..${tip}`).split("\n").length;
    expect(made).toBe(180);
    const sizes = [
      ...new Bun.Glob("pack-*.pack").scanSync({ cwd: join(repository.path, "objects/pack"), absolute: true }),
    ]
      .filter((path) => !(repository.view.packs as readonly string[]).includes(path))
      .map((path) => Bun.file(path).size);
    expect(sizes).toHaveLength(1);
    // Each version is 110 KB.
    expect(sizes[0]).toBeLessThan(400_000);
  });

  test("leaves out what the other side picked already, keeps what was empty, and flattens merges", async () => {
    const text = (changed: Record<number, string>) =>
      Array.from({ length: 30 }, (_, line) => changed[line] ?? `line ${line}\n`).join("");
    const { work, repository } = repositoryOf((commit) => {
      commit("main", { "a.txt": text({}), "b.txt": "b\n" });
      commit("topic", { "a.txt": text({ 20: "picked\n" }) });
      commit("side", { "c.txt": "side\n" });
      commit("topic", { "b.txt": "topic\n" });
    });
    // Picked there, and then undone: git leaves it out nevertheless.
    git(work, "checkout", "-q", "main");
    writeFileSync(join(work, "a.txt"), text({ 1: "main\n" }));
    git(work, "commit", "-qam", "first on main");
    git(work, "cherry-pick", "topic~1");
    git(work, "revert", "--no-edit", "HEAD");
    git(work, "checkout", "-q", "topic");
    git(work, "merge", "-q", "--no-ff", "-m", "merge side", "side");
    git(work, "commit", "-q", "--allow-empty", "-m", "nothing at all");
    git(work, "repack", "-adq");
    const packs = [...new Bun.Glob("*.pack").scanSync({ cwd: join(work, ".git/objects/pack"), absolute: true })];
    const again = { ...repository, view: { ...repository.view, key: `${work}:2`, packs } };
    const [onto, head] = [git(work, "rev-parse", "main"), git(work, "rev-parse", "topic")];
    const tip = await rebase(again, onto, head);
    expect(tip).toBe(rebaseByGit(work, onto, head));
    const subjects = git(work, "log", "--format=%s", `${onto}..${tip}`).split("\n");
    expect(subjects).toHaveLength(3);
    expect(subjects[0]).toBe("nothing at all");
    expect(git(work, "show", `${tip}:a.txt`)).not.toContain("picked");
  });

  test("stays as it is where it follows already, and nothing is left where the other side has it all", async () => {
    let [base, head] = ["", ""];
    const { repository } = repositoryOf((commit) => {
      base = commit("main", { a: "1" });
      commit("topic", { b: "2" });
      head = commit("topic", { c: "3" });
    });
    expect(await rebase(repository, base, head)).toBe(head);
    expect(await rebase(repository, head, base)).toBe(head);
  });

  test("the last commit takes another message, and a merge goes on top", async () => {
    let [onto, head] = ["", ""];
    const { work, repository } = repositoryOf((commit) => {
      commit("main", { a: "1" });
      commit("topic", { b: "2" });
      head = commit("topic", { c: "3" });
      onto = commit("main", { d: "4" });
    });
    const merge = { author: { ...committer, name: "M" }, message: "Merge it\n" };
    const tip = await rebase(repository, onto, head, { merge, messageIfLast: "Said anew\n" });
    const byGit = rebaseByGit(work, onto, head)!;
    expect(git(work, "log", "--format=%s|%an|%cn|%p|%t", "-1", tip!)).toBe(
      [
        "Merge it",
        "M",
        "C",
        git(work, "log", "-1", "--format=%h %p", onto).split(" ")[0] +
          " " +
          git(work, "rev-parse", "--short", `${tip}^2`),
        git(work, "rev-parse", "--short", `${byGit}^{tree}`),
      ].join("|"),
    );
    expect(git(work, "log", "--format=%s %an %at", "-2", `${tip}^2`)).toBe(
      "Said anew A 1700000000\nchange b of topic A 1700000000",
    );
    expect(git(work, "rev-parse", `${tip}^2~1`)).toBe(git(work, "rev-parse", `${byGit}~1`));
    fixture.git(work, ["fsck", "--connectivity-only", tip!]);
  });
});
