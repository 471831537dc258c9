import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { buildProgram } from "./support/build-program.ts";
import { bundleThreads, threadsVariable } from "./support/bundled-threads.ts";
import { lendClusters } from "./support/cluster.ts";
import { describeRun, failedFiles } from "./support/describe-run.ts";
import { Progress } from "./support/progress.ts";
import { makeQuickTemporary } from "./support/quick-directory.ts";
import { mostOf, runFiles, type FilesRun } from "./support/run-files.ts";
import { TestQueue } from "./support/test-queue.ts";

/*
 * Runs the tests, as many processes at a time as there are processors, or as `--processes=N` says, and sums up: what
 * failed, what was left out and why, how long it took. `bun run test` leaves out the files named `*.long.test.ts`,
 * `bun run test:long` runs only these, and `bun run test PATH…` runs what the paths name; `--unprivileged` runs of these
 * what touches files and processes. Meanwhile it shows how far it is and what failed; `--verbose` shows all that tests
 * print. Other options (`-x`, `--x=y`) go to `bun test`. A few files that failed are run again, alone: what passes then is
 * unsteady, which is told; it fails the run no more than a busy machine does. After Ctrl-C the run says how many files
 * never ran.
 *
 * A process runs a batch of files and ends: so what a file leaves in it, or breaks in it, reaches few others. What tests
 * start as a process of its own is the executable, which a run of all files builds; `bun run test PATH…` starts the
 * program from source.
 */

/** As many as a process is given: one that breaks may fail them all. */
const mostRunAgain = 25;

/** As of a program that Ctrl-C ended. */
const interruptedCode = 130;

/** What a process is lent: a database server, and a temporary folder of its own. */
interface Place {
  readonly environment: Readonly<Record<string, string>>;
  readonly temporary: string;
}

const root = join(import.meta.dir, "..");
const timingsFile = join(import.meta.dir, "timings.json");

/** What touches files and processes, which the check runs without root, too: the selection of `--unprivileged`. */
const unprivileged = /^src\/|^test\/(blobs|clients|db|e2e|git|lfs|registries|seed|ssh|support)\//;

const isLong = process.argv[2] === "--long";
const given = process.argv.slice(isLong ? 3 : 2);
const isVerbose = given.includes("--verbose");
const isUnprivileged = given.includes("--unprivileged");
const isUpdating = given.includes("--update-timings");
const wanted = given.find((argument) => argument.startsWith("--processes="))?.split("=")[1];
const options = given.filter(
  (argument) => argument.startsWith("-") && !/^--(update-timings|processes|verbose|unprivileged)\b/.test(argument),
);
const paths = given.filter((argument) => !argument.startsWith("-")).map((path) => path.replace(/^\.\//, ""));

const files = [...new Glob("{src,test,bench}/**/*.test.ts").scanSync(root)]
  .filter((file) =>
    paths.length > 0 ? paths.some((path) => file.includes(path)) : file.endsWith(".long.test.ts") === isLong,
  )
  .filter((file) => !isUnprivileged || unprivileged.test(file));
if (files.length === 0) {
  console.error(`No test file is named ${paths.join(" or ")}`);
  process.exit(1);
}

const known = existsSync(timingsFile) ? readTimings() : {};
const processes = Math.min(Number(wanted) || availableParallelism(), files.length);
const queue = new TestQueue(files, known, processes);
const directory = mkdtempSync(join(tmpdir(), "stithy-tests-"));
// Tests make files by the ten thousand; those that take long make gigabytes of them, and end servers whose disk is looked at.
const isQuick = !files.some((file) => file.endsWith(".long.test.ts"));
const temporary = isQuick ? makeQuickTemporary("stithy-tests-") : mkdtempSync(join(tmpdir(), "stithy-tests-"));
// As /tmp is: the database may run as another user.
chmodSync(temporary, 0o1777);
const stopped = new AbortController();
const screen = { isTerminal: process.stdout.isTTY, write: (text: string) => process.stdout.write(text), now: Date.now };
const progress = new Progress(files.length, screen);
// What is told to end clears up behind itself, and ends with its processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => stopped.abort());
}
try {
  const began = performance.now();
  const building = paths.length === 0 && !process.env["TEST_PROGRAM"] ? buildProgram(directory, stopped.signal) : null;
  // It is waited for below.
  building?.catch(() => {});
  // To start a cluster takes longer than most files do.
  await using clusters = await lendClusters(processes);
  const program = await building;
  const threads = join(directory, "threads");
  await bundleThreads(threads);
  const common = {
    [threadsVariable]: threads,
    ...(program === null ? {} : { TEST_PROGRAM: program }),
  };
  const environments = clusters.environments.map((environment) => Object.assign({}, environment, common));
  const places = environments.map((environment, index) => ({ environment, temporary: makeTemporary(`${index}`) }));
  const ticking = setInterval(() => progress.show(), 1000);
  const runs = (await Promise.all(places.map(runQueued))).flat();
  clearInterval(ticking);
  progress.clear();
  const outputs = runs.map(({ output }) => output);
  const failed = failedFiles(outputs);
  const exitCode = runs.find((run) => run.exitCode !== 0)?.exitCode ?? 0;
  const unsteady =
    exitCode === 0 || failed.length > mostRunAgain || stopped.signal.aborted
      ? []
      : await passingAlone(failed, places[0] as Place);
  const durations = runs.flatMap((run) => Object.entries(run.durations));
  const milliseconds = performance.now() - began;
  const held = runs.map((run) => run.held).reduce(mostOf);
  const cutOff = runs.filter((run) => run.cutOff !== null).length;
  const ended = stopped.signal.aborted ? { stopped: { cutOff, neverRan: queue.length, files: files.length } } : {};
  console.log(describeRun({ outputs, unsteady, exitCode, milliseconds, processes, durations, held, ...ended }));
  if (isUpdating) {
    const measured = Object.entries({ ...known, ...Object.fromEntries(durations) })
      .filter(([file]) => existsSync(join(root, file)))
      .sort(([, a], [, b]) => b - a);
    writeFileSync(timingsFile, JSON.stringify({ version: 1, files: Object.fromEntries(measured) }, null, 2));
  }
  process.exitCode = stopped.signal.aborted
    ? interruptedCode
    : exitCode === 0 || (failed.length > 0 && unsteady.length === failed.length)
      ? 0
      : 1;
} finally {
  rmSync(directory, { recursive: true });
  removeTemporary();
}

function removeTemporary(): void {
  try {
    rmSync(temporary, { recursive: true, force: true });
  } catch (error) {
    // A process that a test has left writes to it: the next run removes it.
    console.log(`${temporary} could not be removed: ${String(error)}`);
  }
}

/** A folder in the temporary one, for the tests of one process at a time. */
function makeTemporary(name: string): string {
  const path = join(temporary, name);
  mkdirSync(path);
  chmodSync(path, 0o1777);
  return path;
}

/** Runs one process after another, until no file is left. */
async function runQueued(place: Place): Promise<FilesRun[]> {
  const runs: FilesRun[] = [];
  for (let batch = queue.take(); batch.length > 0; batch = stopped.signal.aborted ? [] : queue.take()) {
    const run = await runFiles(batch, { directory, options, signal: stopped.signal, watcher: progress, ...place });
    queue.giveBack(run.notRun);
    if (isVerbose) {
      progress.clear();
      process.stdout.write(run.output);
    }
    runs.push(run);
  }
  return runs;
}

/** Those of the files that pass when each is run alone. */
async function passingAlone(names: readonly string[], place: Place): Promise<string[]> {
  const passing: string[] = [];
  for (const file of names) {
    console.log(`\nAgain, alone: ${file}`);
    const { output, exitCode } = await runFiles([file], { directory, options, signal: stopped.signal, ...place });
    process.stdout.write(output);
    if (exitCode === 0) {
      passing.push(file);
    }
  }
  return passing;
}

function readTimings(): Record<string, number> {
  return (JSON.parse(readFileSync(timingsFile, "utf8")) as { files: Record<string, number> }).files;
}
