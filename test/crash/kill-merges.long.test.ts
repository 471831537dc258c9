import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { fullNumber, testSeed } from "../support/full-number.ts";
import { Scratch, mustGit } from "../support/git.ts";
import type { PullJson } from "../support/pulls.ts";
import { untilWorked } from "../support/process-work.ts";
import { randomFrom } from "../support/random.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { OpenDirectory } from "../support/stithy.ts";

/**
 * kill -9 of the server, and half the time of its database, while pull requests are merged at once. After the next start each is
 * merged or open, the branch agrees with it, and what was answered is there. Each run has moments of its own, and says of which seed they came.
 */

const rounds = fullNumber("STITHY_MERGE_KILLS");
setDefaultTimeout(60_000 + rounds * 60_000);

const seed = testSeed();
const random = randomFrom(seed);
const scratch = new Scratch();
const directory = new OpenDirectory();
afterAll(() => {
  scratch[Symbol.dispose]();
  directory[Symbol.dispose]();
});

const work = scratch.join("work");
const styles = ["merge", "squash", "rebase", "rebase-merge"];
const pullsAtOnce = 8;
/** So long the server works before it is killed, at the most. */
const mostMs = 1200;

/** Opens pull requests that each add a file of its own. Returns their numbers by the names of the files. */
async function openPulls(server: ServerProcess, round: number): Promise<Map<string, number>> {
  await mustGit(work, ["fetch", "-q", server.repositoryUrl("site"), "main"]);
  const names = Array.from({ length: pullsAtOnce }, (_, index) => `r${round}-${index}`);
  for (const name of names) {
    await mustGit(work, ["checkout", "-q", "-B", name, "FETCH_HEAD"]);
    await Bun.write(`${work}/${name}`, random.bytes(2000));
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", `Add ${name}`]);
  }
  await mustGit(work, ["push", "-q", server.repositoryUrl("site"), ...names]);
  const numbers = new Map<string, number>();
  for (const name of names) {
    const fields = { title: name, head: name, base: "main" };
    const { status, body } = await server.api.post<PullJson>("/repos/root/site/pulls", fields);
    expect(status).toBe(201);
    numbers.set(name, body.number);
  }
  return numbers;
}

async function merge(server: ServerProcess, number: number): Promise<void> {
  const { status, headers } = await server.api.post(`/repos/root/site/pulls/${number}/merge`, {
    Do: styles[number % styles.length],
    delete_branch_after_merge: number % 3 === 0,
  });
  expect([status, headers.get("x-merge-refused")]).toEqual([200, null]);
}

/** Kills the database server's first process: nothing was shut down in an orderly way. */
function killDatabase(): void {
  const [pid = ""] = readFileSync(directory.join("postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
}

/** Compares what the pull requests say with what the branch has. Returns those that are open. */
async function compare(server: ServerProcess, pulls: ReadonlyMap<string, number>, round: number): Promise<number[]> {
  const clone = scratch.join(`clone-${round}`);
  const refs = await checkedRefs(server.repositoryUrl("site"), clone);
  const line = new Set((await mustGit(clone, ["rev-list", "--first-parent", "main"])).split("\n"));
  const files = new Set((await mustGit(clone, ["ls-tree", "--name-only", "main"])).split("\n"));
  const open: number[] = [];
  for (const [name, number] of pulls) {
    const { body } = await server.api.get<PullJson & { merge_commit_sha: string | null }>(
      `/repos/root/site/pulls/${number}`,
    );
    const { merged, state, merge_commit_sha: commit } = body;
    const isThere = commit !== null && line.has(commit);
    expect({ name, merged, state, isThere, hasFile: files.has(name) }).toEqual({
      name,
      merged,
      state: merged ? "closed" : "open",
      isThere: merged,
      hasFile: merged,
    });
    const keepsBranch = !merged || number % 3 !== 0;
    expect([name, refs.some((ref) => ref.endsWith(` refs/heads/${name}`))]).toEqual([name, keepsBranch]);
    open.push(...(merged ? [] : [number]));
  }
  rmSync(clone, { recursive: true });
  return open;
}

test(`${rounds} times merges are cut off by kill -9: each pull request is merged or open, and the branch agrees`, async () => {
  console.log(`The moments are those of the seed ${seed}`);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  let server = await ServerProcess.start(directory.path);
  await server.repository("site");
  await mustGit(work, ["commit", "-q", "--allow-empty", "-m", "Begin"]);
  await mustGit(work, ["push", "-q", server.repositoryUrl("site"), "main"]);
  const seen = { merged: 0, open: 0 };
  for (let round = 1; round <= rounds; round++) {
    const pulls = await openPulls(server, round);
    const answered = new Set<number>();
    const merges = [...pulls.values()].map((number) =>
      merge(server, number).then(
        () => void answered.add(number),
        () => {},
      ),
    );
    await untilWorked(server.process.pid, random.below(mostMs), () => answered.size === pulls.size);
    server.process.kill("SIGKILL");
    if (random.below(2) === 0) {
      killDatabase();
    }
    await Promise.all([...merges, server.process.ended()]);
    server = await ServerProcess.start(directory.path);
    const open = await compare(server, pulls, round);
    expect(open.filter((number) => answered.has(number))).toEqual([]);
    seen.open += open.length;
    seen.merged += pulls.size - open.length;
    // Those that were cut off can be merged.
    await Promise.all(open.map((number) => merge(server, number)));
    expect(await compare(server, pulls, round)).toEqual([]);
  }
  console.log(`${seen.merged} pull requests were merged when the server was killed, ${seen.open} were open`);
  await server[Symbol.asyncDispose]();
});
