import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endLeftProcesses } from "./end-left-processes.ts";
import { FollowedLog, type RunWatcher } from "./followed-log.ts";

/** The most that processes held at a time. */
export interface Held {
  readonly files: number;
  readonly threads: number;
  readonly bytes: number;
}

/** What a process did that ran test files. */
export interface FilesRun {
  /** everything that it printed */
  readonly output: string;
  readonly exitCode: number;
  /** how long each file took, milliseconds */
  readonly durations: Readonly<Record<string, number>>;
  /** files that it did not come to, because it ended before its time */
  readonly notRun: readonly string[];
  /** the file that it was at when it was told to stop */
  readonly cutOff: string | null;
  readonly held: Held;
}

export interface RunFilesOptions {
  /** a directory for its own files, which nobody else uses meanwhile */
  readonly directory: string;
  /** the temporary folder of its tests: at the end all that lives with it is killed, so it must belong to no other process */
  readonly temporary: string;
  /** for `bun test` */
  readonly options: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly watcher?: RunWatcher;
  /** whether a process is killed that has printed nothing for so long: it hangs, and does not notice its own time limit */
  readonly isTooSilent?: (silentMs: number) => boolean;
}

/** Tells the processes of a run a directory that lives as long as the run. */
export const runDirectoryVariable = "TEST_RUN_DIRECTORY";

/** Longer than the limit of any test (`test/git/histories.long.test.ts`). */
const longestSilenceMs = 25 * 60_000;
const lookEveryMs = 500;

/** Runs test files in a process of their own. One that ends before its time is told as a failure of the file it was at. */
export async function runFiles(
  files: readonly string[],
  {
    directory,
    temporary,
    options,
    environment,
    signal,
    watcher,
    isTooSilent = (silentMs) => silentMs > longestSilenceMs,
  }: RunFilesOptions,
): Promise<FilesRun> {
  const name = crypto.randomUUID();
  const [log, timings] = [join(directory, `${name}.log`), join(directory, `${name}.json`)];
  // One file for both, so that what a test prints stays beside it.
  const printed = openSync(log, "a");
  const child = Bun.spawn(
    [
      process.execPath,
      // It ends when the runner is killed.
      "--no-orphans",
      "test",
      `--timings=${timings}`,
      "--update-timings",
      ...options,
      ...files.map((file) => `./${file}`),
    ],
    {
      env: { ...process.env, ...environment, TMPDIR: temporary, [runDirectoryVariable]: directory },
      stdin: "ignore",
      stdout: printed,
      stderr: printed,
    },
  );
  closeSync(printed);
  const end = (): void => child.kill("SIGTERM");
  signal?.addEventListener("abort", end);
  const followed = new FollowedLog(log, watcher);
  let held: Held = { files: 0, threads: 0, bytes: 0 };
  const look = setInterval(() => {
    held = mostOf(held, heldBy(child.pid));
    followed.look();
    if (isTooSilent(followed.silentMs)) {
      child.kill("SIGKILL");
    }
  }, lookEveryMs);
  const exitCode = await child.exited;
  clearInterval(look);
  signal?.removeEventListener("abort", end);
  endLeftProcesses(temporary);
  followed.look();
  const output = readFileSync(log, "utf8");
  const hasNone = /^error: regex .* matched 0 tests/m.test(output);
  const isStopped = signal?.aborted === true;
  const ended = hasNone || /^Ran \d+ tests? across /m.test(output);
  const lost = files.findLast((file) => followed.files.includes(file)) ?? files[0] ?? "";
  const notice = ended || isStopped ? "" : `\n✗ ${lost} (its process ended: ${child.signalCode ?? exitCode})\n`;
  followed.end(notice, ended ? files.length : followed.files.length);
  return {
    output: `${output}${notice}`,
    exitCode: hasNone ? 0 : ended ? exitCode : exitCode || 1,
    durations: existsSync(timings)
      ? (JSON.parse(readFileSync(timings, "utf8")) as { files: Record<string, number> }).files
      : {},
    notRun: ended ? [] : files.filter((file) => file !== lost && !followed.files.includes(file)),
    cutOff: isStopped && !ended ? lost : null,
    held,
  };
}

export function mostOf(one: Held, other: Held): Held {
  return {
    files: Math.max(one.files, other.files),
    threads: Math.max(one.threads, other.threads),
    bytes: Math.max(one.bytes, other.bytes),
  };
}

/** What a process holds now; nothing where the system does not tell. */
function heldBy(pid: number): Held {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const number = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return {
      files: readdirSync(`/proc/${pid}/fd`).length,
      threads: number("Threads"),
      bytes: 1024 * number("VmHWM"),
    };
  } catch {
    return { files: 0, threads: 0, bytes: 0 };
  }
}
