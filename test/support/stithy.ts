import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { programText } from "../../src/lib/command-text.ts";
import { until } from "./until.ts";

/**
 * The command line as a user runs it: the executable that TEST_PROGRAM names, which starts with half the CPU, else the
 * program from source.
 */
export const commandLine = process.env["TEST_PROGRAM"]
  ? [resolve(process.env["TEST_PROGRAM"])]
  : [process.execPath, join(import.meta.dir, "..", "..", "src", "main.ts")];

/** Whether `commandLine` is the program from source. */
export const runsSource = !process.env["TEST_PROGRAM"];

/** Returns how a user types the program of `commandLine` in a directory, as its messages do: Bun may come from npx alone. */
export function typedProgram(directory = tmpdir()): string {
  const [program = "", ...script] = commandLine;
  return programText({
    argv0: program,
    argv: [program, ...script],
    execPath: program,
    directory,
    isExecutable: !runsSource,
  });
}

export interface StithyOptions {
  /** In addition to PATH, HOME and the cache's place. */
  env?: Record<string, string>;
  /** Standard input. */
  input?: string;
}

/** What a command printed, and its exit code. */
export interface StithyRun {
  code: number;
  stdout: string;
  stderr: string;
}

function environment(extra: Record<string, string> = {}): Record<string, string> {
  const inherited = ["PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR"].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(inherited), ...extra };
}

/** Runs a command to its end. */
export async function runStithy(args: readonly string[], { env, input }: StithyOptions = {}): Promise<StithyRun> {
  const child = Bun.spawn([...commandLine, ...args], {
    cwd: tmpdir(),
    env: environment(env),
    stdin: input === undefined ? "ignore" : new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

/** A server in a process of its own. Disposing kills it, if it still runs. */
export class StithyProcess implements AsyncDisposable {
  /** What it has printed so far. */
  stdout = "";
  stderr = "";
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #printed: Promise<unknown>;

  constructor(args: readonly string[], { env }: StithyOptions = {}) {
    this.#child = Bun.spawn([...commandLine, ...args], {
      cwd: tmpdir(),
      env: environment(env),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#printed = Promise.all([this.#collect("stdout"), this.#collect("stderr")]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  async #collect(name: "stdout" | "stderr"): Promise<void> {
    const decoder = new TextDecoder();
    for await (const piece of this.#child[name]) {
      this[name] += decoder.decode(piece, { stream: true });
    }
  }

  /** Waits until it has logged a message, and answers the fields of that line. */
  async logged(message: string): Promise<Record<string, unknown>> {
    const find = () =>
      this.stderr
        .split("\n")
        .find((line) => line.startsWith("{") && line.endsWith("}") && JSON.parse(line).msg === message);
    await until(`"${message}" is logged`, () => find() !== undefined || this.#fail());
    return JSON.parse(find() ?? "") as Record<string, unknown>;
  }

  /** Waits for the first line on standard output and reads it as JSON. */
  async ready<Line>(): Promise<Line> {
    await until("there is a line on standard output", () => this.stdout.includes("\n") || this.#fail());
    return JSON.parse(this.stdout) as Line;
  }

  #fail(): false {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      throw new Error(`The server ended: ${this.stderr}`);
    }
    return false;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends a signal and answers the exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
    this.kill(signal);
    return this.ended();
  }

  async ended(): Promise<number> {
    const code = await this.#child.exited;
    await this.#printed;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.#child.exited;
  }
}

/** A directory that other users may pass through, as the database has to when the tests run as root. */
export class OpenDirectory implements Disposable {
  readonly path: string;

  /** @param begin the beginning of its path; with `quickDirectory` for one that stays small: a new database is made in half the time */
  constructor(begin = join(tmpdir(), "stithy-e2e-")) {
    this.path = mkdtempSync(begin);
    chmodSync(this.path, 0o711);
  }

  join(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  /** The database of a server that was killed ends a moment after it, and writes until then. */
  [Symbol.dispose](): void {
    for (let tries = 0; tries < 200; tries++) {
      try {
        rmSync(this.path, { recursive: true, force: true });
      } catch {
        // Something was written to it meanwhile.
      }
      if (!existsSync(this.path)) {
        return;
      }
      Bun.sleepSync(50);
    }
    throw new Error(`${this.path} cannot be removed: something still writes to it`);
  }
}
