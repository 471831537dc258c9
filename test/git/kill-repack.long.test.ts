import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullNumber, testSeed } from "../support/full-number.ts";
import { Scratch, closureOf, mustGit, runGit } from "../support/git.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { OpenDirectory, StithyProcess, runStithy } from "../support/stithy.ts";

/**
 * kill -9 of the server, of a repack beside it, or of both, while pushes come in. The moments are after so many events in
 * the file system. Each run has moments of its own, and says of which seed they came.
 */

const rounds = fullNumber("STITHY_REPACK_KILLS");
setDefaultTimeout(60_000 + rounds * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const scratch = new Scratch();
const directory = new OpenDirectory();
const data = ["--data", directory.path];
afterAll(() => {
  scratch[Symbol.dispose]();
  directory[Symbol.dispose]();
});

const work = scratch.join("work");

async function commit(number: number): Promise<string> {
  writeFileSync(join(work, "noise"), random.bytes(20_000));
  writeFileSync(join(work, `file-${number % 5}.txt`), `${"the same line\n".repeat(300)}${number}\n`);
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", `commit ${number}`]);
  return mustGit(work, ["rev-parse", "HEAD"]);
}

/** Counts what happens where pushes and repacks leave traces. */
function watchFiles(event: () => void): Disposable {
  const watchers = ["tmp", "packs", join("postgres", "cluster", "pg_wal")].map((name) =>
    watch(directory.join(name), { recursive: true }, event),
  );
  return { [Symbol.dispose]: () => watchers.forEach((watcher) => watcher.close()) };
}

/** Kills the database server's first process as well: then nothing was shut down in an orderly way. */
function killDatabase(): void {
  const [pid = ""] = readFileSync(directory.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
}

test(`${rounds} times a push and a repack are cut off by kill -9: refs are old or new, and nothing is lost`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  let server = await ServerProcess.start(directory.path);
  await server.repository("site");
  let before = await commit(0);
  await mustGit(work, ["push", "-q", server.repositoryUrl("site"), "main"]);
  for (let round = 1; round <= rounds; round++) {
    const after = await commit(round);
    const victim = (["server", "repack", "both"] as const)[random.below(3)] ?? "both";
    const withDatabase = random.below(2) === 0;
    let left = random.below(60);
    const repack = new StithyProcess([
      "repo",
      "repack",
      "root/site",
      ...(random.below(2) === 0 ? ["--full"] : []),
      ...data,
    ]);
    const kill = (): void => {
      if (left < 0) {
        return;
      }
      left = -1;
      if (victim !== "repack") {
        server.process.kill("SIGKILL");
        if (withDatabase) {
          killDatabase();
        }
      }
      if (victim !== "server") {
        repack.kill("SIGKILL");
      }
    };
    const push = runGit(work, ["push", "-q", server.repositoryUrl("site"), "main"]);
    {
      using _watching = watchFiles(() => {
        if (left > 0) {
          left--;
        } else if (left === 0) {
          kill();
        }
      });
      await Promise.all([push, repack.ended()]);
      kill();
    }
    if (victim !== "repack") {
      await server.process.ended();
      server = await ServerProcess.start(directory.path);
    }
    const url = server.repositoryUrl("site");
    const clone = scratch.join("clone");
    const [line = ""] = await checkedRefs(url, clone).catch((error: Error) => {
      throw new Error(`${error.message}\n${server.process.stderr}`);
    });
    expect([`${before} refs/heads/main`, `${after} refs/heads/main`]).toContain(line);
    if ((await push).code === 0) {
      expect(line).toStartWith(after);
    }
    rmSync(clone, { recursive: true });
    const again = await runGit(work, ["push", "-q", url, "main"]);
    if (again.code !== 0) {
      throw new Error(
        `Round ${round}: the push after the kill of ${victim} failed: ${again.stderr}\n${server.process.stderr}`,
      );
    }
    before = after;
  }
  const checked = await runStithy(["repo", "fsck", "root/site", ...data]);
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  const exported = scratch.join("exported.git");
  expect((await runStithy(["repo", "export", "root/site", exported, ...data])).code).toBe(0);
  await mustGit(exported, ["fsck", "--full", "--strict"]);
  expect(await closureOf(exported)).toBe(await closureOf(work));
  await server.process.stop();
});
