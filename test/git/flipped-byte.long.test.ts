import { afterAll, beforeAll, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";

/**
 * One byte of a stored pack is another one than when it was received. Whatever is copied from the pack into an answer: the
 * answer is broken off, the client fails, the log, `healthz` and `doctor` know; what does not need the byte is served.
 */

const scratch = new Scratch();
const data = new OpenDirectory();
const work = scratch.join("work");
let server: ServerProcess;
/** A pack of its own for what one push brought, and two that hold one repository together. */
const repositories = ["whole", "parts"] as const;
type Repository = (typeof repositories)[number];
/** The path of the pack with the large file, and where that file's content starts in it. */
const hurt = new Map<Repository, { path: string; at: number }>();

beforeAll(async () => {
  server = await ServerProcess.start(data.path, { STITHY_LOG__FORMAT: "json" });
  for (const name of repositories) {
    const own = join(work, name);
    await mustGit(scratch.path, ["init", "-q", "-b", "main", own]);
    const url = await server.repository(name);
    const content = crypto.getRandomValues(new Uint8Array(50_000));
    writeFileSync(join(own, "large"), content);
    // Packs of more than 4 MiB, of which one is far larger than the other, are not put together meanwhile.
    writeFileSync(join(own, "ballast"), randomBytes(5 * 1024 * 1024));
    writeFileSync(join(own, "small"), name);
    await mustGit(own, ["add", "-A"]);
    await mustGit(own, ["commit", "-q", "-m", "first"]);
    if (name === "parts") {
      await mustGit(own, ["push", "-q", url, "main"]);
    }
    writeFileSync(join(own, "small"), `${name} again`);
    await mustGit(own, ["commit", "-q", "-am", "second"]);
    await mustGit(own, ["push", "-q", url, "main", "main~1:refs/heads/side"]);
    for (const file of new Bun.Glob("*/*.pack").scanSync({ cwd: data.join("packs"), absolute: true })) {
      // Random bytes are stored as they are.
      const at = readFileSync(file).indexOf(content.subarray(1000, 1100));
      if (at >= 0) {
        hurt.set(name, { path: file, at });
      }
    }
  }
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  data[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

/** Flips a bit of a repository's large file until it is disposed of. */
function flip(name: Repository): Disposable {
  const { path, at } = hurt.get(name)!;
  const invert = () => {
    const descriptor = openSync(path, "r+");
    writeSync(descriptor, Uint8Array.of(readFileSync(path)[at]! ^ 4), 0, 1, at);
    closeSync(descriptor);
  };
  invert();
  return { [Symbol.dispose]: invert };
}

/** What it has read is in its memory. */
async function restart(): Promise<void> {
  await server.process.stop();
  server = await ServerProcess.start(data.path, { STITHY_LOG__FORMAT: "json" });
}

let clones = 0;
const clone = (name: string, ...options: string[]) =>
  runGit(scratch.path, [
    "-c",
    "protocol.version=2",
    "clone",
    "--bare",
    ...options,
    server.repositoryUrl(name),
    scratch.join(`clone-${clones++}`),
  ]);

const ways: [string, string[]][] = [
  ["a full clone", []],
  ["a clone of depth 1", ["--depth=1"]],
  ["a filtered clone", ["--filter=blob:limit=1m"]],
  ["a clone of a single branch", ["--single-branch"]],
];

test.each(repositories.flatMap((name) => ways.map(([way, options]) => [way, name, options] as const)))(
  "%s of a repository in %s",
  async (_way, name, options) => {
    // Whether it is made anew, or again as it was made before.
    for (const wasMade of [false, true]) {
      await restart();
      if (wasMade) {
        expect((await clone(name, ...options)).code).toBe(0);
        expect((await clone(name, ...options)).code).toBe(0);
      }
      using _flipped = flip(name);
      const { code, stderr } = await clone(name, ...options);
      // What is kept in memory is what it was, and may be sent again.
      if (code !== 0 || !wasMade) {
        expect({ code, stderr }).toEqual({
          code: 128,
          stderr: expect.stringContaining("The server failed to read this repository") as unknown as string,
        });
        const health = await fetch(`${server.url}/api/healthz`);
        expect([health.status, ((await health.json()) as { status: string }).status]).toEqual([200, "warn"]);
        expect(server.process.stderr).toContain(hurt.get(name)!.path);
      }
      expect((await clone(name, "--filter=blob:none")).code).toBe(0);
    }
  },
);

test.each(repositories)("a bundle of a repository in %s", async (name) => {
  await restart();
  using _flipped = flip(name);
  const whole = await server.api
    .fetch("GET", `/repos/root/${name}/archive/main.bundle`)
    .then((answer) => (answer.ok ? answer.bytes() : null))
    // The connection was reset, before or after the head of the answer.
    .catch(() => null);
  expect(whole).toBeNull();
});

test("doctor names the pack and the repositories that have it", async () => {
  using _flipped = flip("parts");
  const { code, stdout } = await runStithy(["doctor", "--data", data.path]);
  expect(code).toBe(1);
  expect(stdout).toContain(hurt.get("parts")!.path);
  expect(stdout).toContain("it belongs to root/parts");
});
