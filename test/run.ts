import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { lendClusters } from "./support/cluster.ts";
import { describeRun, failedFiles, type TestRun } from "./support/describe-run.ts";

/*
 * Runs the tests in as many processes as there are processors, and sums up: what failed, what was left out and why, how
 * long it took. `bun run test` leaves out the files named `*.long.test.ts`, `bun run test:long` runs only these, and
 * `bun run test PATH…` runs what the paths name. Other options go to `bun test`. A few files that failed are run again,
 * alone: what passes then is unsteady, which is told; it fails the run no more than a busy machine does.
 */

const mostRunAgain = 5;

const timingsFile = join(import.meta.dir, "timings.json");

const [mode, ...rest] = process.argv.slice(2);
const isLong = mode === "--long";
const given = isLong || mode === undefined ? rest : [mode, ...rest];
const isUpdating = given.includes("--update-timings");
const options = given.filter((argument) => argument !== "--update-timings");
const paths = options.filter((argument) => !argument.startsWith("-"));
const selection = isLong ? [".long.test.ts"] : paths.length > 0 ? [] : ["--path-ignore-patterns=**/*.long.test.ts"];

const processes = availableParallelism();
const directory = mkdtempSync(join(tmpdir(), "stithy-tests-"));
const measured = join(directory, "timings.json");
try {
  // The slowest files first, so that no process is left alone with one of them at the end.
  if (existsSync(timingsFile)) {
    copyFileSync(timingsFile, measured);
  }
  const known = readTimings(measured);
  const began = performance.now();
  // In such a run a process ends after each file what it began, and a cluster takes longer to start than most files.
  await using clusters = await lendClusters(processes);
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--timeout=20000",
      `--parallel=${processes}`,
      "--no-isolate",
      `--timings=${measured}`,
      "--update-timings",
      ...selection,
      ...options,
    ],
    { env: { ...process.env, ...clusters.environment }, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  // What is told to end clears up behind itself, and ends with its child.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => child.kill(signal));
  }
  const [stdout, stderr] = await Promise.all([
    passOn(child.stdout, process.stdout),
    passOn(child.stderr, process.stderr),
  ]);
  const exitCode = await child.exited;
  const after = readTimings(measured);
  const output = `${stdout}\n${stderr}`;
  const failed = failedFiles(output);
  const unsteady = exitCode === 0 || failed.length > mostRunAgain ? [] : await passingAlone(failed);
  const run: TestRun = {
    output,
    unsteady,
    exitCode,
    milliseconds: performance.now() - began,
    processes,
    // A file that took exactly as long as the last time was not measured, or is not worth a line.
    durations: Object.entries(after).filter(([file, ms]) => known[file] !== ms),
  };
  console.log(describeRun(run));
  if (isUpdating) {
    copyFileSync(measured, timingsFile);
  }
  process.exitCode = exitCode === 0 || (failed.length > 0 && unsteady.length === failed.length) ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true });
}

/** Those of the files that pass when each is run alone. */
async function passingAlone(files: readonly string[]): Promise<string[]> {
  const passing: string[] = [];
  for (const file of files) {
    console.log(`\nAgain, alone: ${file}`);
    const child = Bun.spawn([process.execPath, "test", "--timeout=20000", `./${file}`], {
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
    });
    if ((await child.exited) === 0) {
      passing.push(file);
    }
  }
  return passing;
}

function readTimings(path: string): Record<string, number> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { files: Record<string, number> }).files : {};
}

/** Writes what comes as it comes, and returns all of it. */
async function passOn(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of from) {
    to.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
