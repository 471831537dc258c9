import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
  readonly held: Held;
}

export interface RunFilesOptions {
  /** a directory for its own files, which nobody else uses meanwhile */
  readonly directory: string;
  /** for `bun test` */
  readonly options: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What hangs and does not notice its own time limit is ended, so that the run ends with its name. */
const longestMs = 20 * 60_000;
const lookEveryMs = 500;

/** Runs test files in a process of their own. One that ends before its time is told as a failure of the file it was at. */
export async function runFiles(
  files: readonly string[],
  { directory, options, environment, signal }: RunFilesOptions,
): Promise<FilesRun> {
  const name = crypto.randomUUID();
  const [log, timings] = [join(directory, `${name}.log`), join(directory, `${name}.json`)];
  // One file for both, so that what a test prints stays beside it.
  const printed = openSync(log, "a");
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      `--timings=${timings}`,
      "--update-timings",
      ...options,
      ...files.map((file) => `./${file}`),
    ],
    {
      env: { ...process.env, ...environment },
      stdin: "ignore",
      stdout: printed,
      stderr: printed,
      timeout: longestMs,
      killSignal: "SIGKILL",
    },
  );
  closeSync(printed);
  const end = (): void => child.kill("SIGTERM");
  signal?.addEventListener("abort", end);
  let held: Held = { files: 0, threads: 0, bytes: 0 };
  const look = setInterval(() => (held = mostOf(held, heldBy(child.pid))), lookEveryMs);
  const exitCode = await child.exited;
  clearInterval(look);
  signal?.removeEventListener("abort", end);
  const output = readFileSync(log, "utf8");
  const hasNone = /^error: regex .* matched 0 tests/m.test(output);
  const ended = hasNone || /^Ran \d+ tests? across /m.test(output);
  const begun = files.filter((file) => output.includes(`\n${file}:\n`));
  const lost = begun.at(-1) ?? files[0];
  return {
    output: ended ? output : `${output}\n✗ ${lost} (its process ended: ${child.signalCode ?? exitCode})\n`,
    exitCode: hasNone ? 0 : ended ? exitCode : exitCode || 1,
    durations: existsSync(timings)
      ? (JSON.parse(readFileSync(timings, "utf8")) as { files: Record<string, number> }).files
      : {},
    notRun: ended ? [] : files.filter((file) => file !== lost && !begun.includes(file)),
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
