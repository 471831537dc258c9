import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";
import { repeated } from "../support/thorough.ts";

/**
 * A pack that cannot be read while the server runs: whoever needs it is told so in words, everybody else is served,
 * `doctor` and `repo fsck` name the file, and once it is back and the server started again, so is the repository.
 */

const scratch = new Scratch();
const directory = new OpenDirectory();
const data = ["--data", directory.path];
let server: ServerProcess;
const work = scratch.join("work");
let refs: string[];

/** The pack of the repository "hurt". */
let path = "";

beforeAll(async () => {
  server = await ServerProcess.start(directory.path);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  for (const name of ["hurt", "fine"]) {
    for (let file = 0; file < 20; file++) {
      writeFileSync(join(work, `file-${file}`), crypto.getRandomValues(new Uint8Array(20_000)));
    }
    writeFileSync(join(work, "README"), `${name}\n`.repeat(200));
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", name]);
    await mustGit(work, ["push", "-q", await server.repository(name), "main"]);
  }
  refs = await checkedRefs(server.repositoryUrl("hurt"), scratch.join("before"));
  const exported = scratch.join("exported.git");
  await runStithy(["repo", "export", "root/hurt", exported, ...data]);
  const [file = ""] = readdirSync(join(exported, "objects", "pack")).map((name) => name.replace(/^pack-|\.\w+$/g, ""));
  path = directory.join("packs", file.slice(0, 2), `${file}.pack`);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

function flipEvery(file: string, bytes: number): void {
  const content = readFileSync(file);
  const descriptor = openSync(file, "r+");
  for (let at = 200; at < content.length - 20; at += bytes) {
    writeSync(descriptor, Uint8Array.of((content[at] ?? 0) ^ 0x55), 0, 1, at);
  }
  closeSync(descriptor);
}

async function expectOthersServed(): Promise<void> {
  await mustGit(scratch.path, ["clone", "-q", "--mirror", server.repositoryUrl("fine"), scratch.join("beside")]);
  rmSync(scratch.join("beside"), { recursive: true });
  expect((await server.api.get("/repos/root/fine/contents/README")).status).toBe(200);
  expect(await server.health()).toBe(200);
}

const words = /The server failed to read this repository|cannot be read at the moment: its stored data is damaged/;

const damages: [string, () => void][] = [
  ["is cut off", () => truncateSync(path, 5000)],
  ["has wrong bits", () => flipEvery(path, 500)],
  // Root may open every file, but no directory as one.
  ["cannot be opened", () => (rmSync(path), mkdirSync(path))],
];

test.each(repeated(damages, 2))("that %s", async (what, damage) => {
  const files = [path, path.replace(/pack$/, "idx")];
  files.forEach((file) => copyFileSync(file, `${file}.saved`));
  using _restored = restoring(() => {
    rmSync(path, { recursive: true, force: true });
    files.forEach((file) => renameSync(`${file}.saved`, file));
  });
  damage();
  // Found when the server begins, and in the one that had the pack open.
  for (const open of [true, false]) {
    if (!open) {
      await server.process.stop();
      server = await ServerProcess.start(directory.path);
    }
    const clone = await runGit(scratch.path, [
      "clone",
      "-q",
      "--mirror",
      server.repositoryUrl("hurt"),
      scratch.join("hurt"),
    ]);
    // What is in memory still can be read.
    if (clone.code === 0) {
      expect(open).toBe(true);
      await mustGit(scratch.join("hurt"), ["fsck", "--full", "--strict"]);
    } else {
      // A pack that is sent as it lies on disk is looked at by the client, which checks every object.
      expect(clone.stderr).toMatch(what === "has wrong bits" ? /bad object|The server failed to read/ : words);
    }
    rmSync(scratch.join("hurt"), { recursive: true, force: true });
    const response = await server.api.fetch("GET", "/repos/root/hurt/git/trees/main?recursive=true");
    const { message = "" } = (await response.json()) as { message?: string };
    expect({ status: response.status, message }).toEqual(
      response.status === 200 && open
        ? { status: 200, message: "" }
        : { status: 500, message: expect.stringMatching(words) as unknown as string },
    );
    const push = await runGit(work, ["push", server.repositoryUrl("hurt"), "main:refs/heads/next"]);
    expect(push.code === 0 && open ? "" : push.stderr).toMatch(push.code === 0 ? /^$/ : words);
    expect(push.stderr).not.toContain(directory.path);
    await expectOthersServed();
    if (push.code === 0) {
      await mustGit(work, ["push", "-q", server.repositoryUrl("hurt"), ":refs/heads/next"]);
    }
  }
  const fsck = await runStithy(["repo", "fsck", "--all", ...data]);
  expect(fsck.code).toBe(1);
  expect(fsck.stdout + fsck.stderr).toContain(path.replace(/pack$/, ""));
  expect(fsck.stdout).toContain("ok      root/fine");
  const doctor = await runStithy(["doctor", ...data]);
  expect(doctor.code).not.toBe(0);
  expect(doctor.stdout + doctor.stderr).toContain(path.replace(/pack$/, ""));
});

test("that is back is read again", async () => {
  // What was open stays open, whatever lies in its place now.
  await server.process.stop();
  server = await ServerProcess.start(directory.path);
  expect(await checkedRefs(server.repositoryUrl("hurt"), scratch.join("after"))).toEqual(refs);
});

function restoring(restore: () => void): Disposable {
  return { [Symbol.dispose]: restore };
}
