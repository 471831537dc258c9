import { childEnvironment } from "./environment.ts";

export interface RunOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

export interface RunResult {
  stdout: string;
  /** from start to exit, in milliseconds */
  wallMs: number;
}

/** Runs a program to its end; throws with the end of its standard error when it fails. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const started = performance.now();
  const child = Bun.spawn([...command], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: childEnvironment(options.env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let exitedAt = 0;
  const exited = child.exited.then((code) => {
    exitedAt = performance.now();
    return code;
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), exited]);
  if (code !== 0) {
    const shown = command.map((word) => word.replace(/:\/\/[^@/]*@/, "://…@")).join(" ");
    throw new Error(`${shown} failed with exit code ${code}: ${stderr.trim().slice(-2000)}`);
  }
  return { stdout, wallMs: exitedAt - started };
}

/** `git` with the arguments given; trimmed standard output. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  return (await run(["git", "-C", directory, ...args])).stdout.trim();
}
