import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Failure } from "./output-reader.ts";
import { runFiles } from "./run-files.ts";
import { until } from "./until.ts";

/** Processes of `bun test` with files of this test: what is told of them, and that they leave nothing behind. */

const directory = mkdtempSync(join(tmpdir(), "stithy-run-files-"));
const temporary = join(directory, "temporary");
beforeAll(() => mkdirSync(temporary));
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes a test file, and returns its path as the runner names it. */
function testFile(name: string, text: string): string {
  const path = join(directory, `${name}.test.ts`);
  writeFileSync(path, `import { expect, test } from "bun:test";\n${text}`);
  return relative(process.cwd(), path);
}

/** Starts a program in a session of its own, says its process id, and never ends. */
const hanging = `
test("hangs", async () => {
  const child = Bun.spawn(["sleep", "1000"], { detached: true, stdio: ["ignore", "ignore", "ignore"] });
  await Bun.write(${JSON.stringify(join(directory, "pid"))}, String(child.pid));
  await new Promise(() => setInterval(() => {}, 1000));
});`;

const startedPid = () => Number(readFileSync(join(directory, "pid"), "utf8"));
const hasStarted = () => existsSync(join(directory, "pid")) && startedPid() > 0;
const isGone = () => !existsSync(`/proc/${startedPid()}`);

function watch() {
  const told: { done: number; failed: Failure[] } = { done: 0, failed: [] };
  return { told, fileDone: () => void told.done++, failed: (failure: Failure) => void told.failed.push(failure) };
}

const common = { directory, temporary, options: [], environment: {} };

test("files are told when they are done, failures with their text", async () => {
  const good = testFile("good", 'test("good", () => {});');
  const bad = testFile("bad", 'test("bad", () => expect(1).toBe(2));');
  const watcher = watch();
  const run = await runFiles([good, bad], { ...common, watcher });
  expect(run).toMatchObject({ exitCode: 1, notRun: [], cutOff: null });
  expect(watcher.told).toEqual({
    done: 2,
    failed: [{ file: bad, line: expect.stringMatching(/^\(fail\) bad/) as never, text: expect.anything() as never }],
  });
  expect(watcher.told.failed[0]?.text.join("\n")).toContain("Expected: 2");
});

test("what a stopped process has started is killed, and what it did not come to is told", async () => {
  const hangs = testFile("hangs", hanging);
  const later = testFile("later", 'test("later", () => {});');
  const stop = new AbortController();
  const watcher = watch();
  const running = runFiles([hangs, later], { ...common, watcher, signal: stop.signal });
  await until("the program has started", hasStarted);
  stop.abort();
  expect(await running).toMatchObject({ cutOff: hangs, notRun: [later] });
  expect(watcher.told.failed).toEqual([]);
  await until("the program has ended", isGone);
});

test("a process that says nothing for too long is killed with what it has started, and fails its file", async () => {
  rmSync(join(directory, "pid"));
  const hangs = testFile("hangs", hanging);
  const watcher = watch();
  const run = await runFiles([hangs], { ...common, watcher, isTooSilent: hasStarted });
  expect(run).toMatchObject({ exitCode: 137, cutOff: null });
  expect(watcher.told.failed).toMatchObject([{ file: hangs, line: `✗ ${hangs} (its process ended: SIGKILL)` }]);
  await until("the program has ended", isGone);
});
