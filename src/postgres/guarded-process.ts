import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Account, cleanEnvironment } from "./account.ts";

/**
 * Standard input is a pipe that nobody writes to while this process lives. A helper process reads it, detached twice
 * so that the server has no child it does not know; the pipe ends when this process does, in whatever way, and the
 * helper then interrupts the server (a fast shutdown). A line read means that there is nothing left to interrupt.
 */
const guard = 'exec 3<&0 </dev/null; ((read -r _ <&3 || kill -INT $$) >/dev/null 2>&1 &); exec 3<&- "$@"';

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that runs as an account says and does not outlive this process. */
export interface GuardedProcess {
  readonly pid: number;
  readonly ended: Promise<ProcessEnd>;
  /** The last lines that it printed. */
  readonly output: readonly string[];
  kill(signal: NodeJS.Signals): void;
}

const keptLines = 12;

/**
 * Starts a program in a session of its own, so that a Ctrl-C at the terminal reaches only this process.
 * @throws the system's error when it cannot be started at all
 */
export async function startGuarded(
  account: Account,
  command: readonly string[],
  onLine: (line: string) => void,
): Promise<GuardedProcess> {
  const child = spawn("/bin/sh", ["-c", guard, "sh", ...account.prefix, ...command], {
    ...account.spawn,
    env: cleanEnvironment,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      output.push(line);
      output.splice(0, output.length - keptLines);
      onLine(line);
    });
  }
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      child.stdin.on("error", () => {});
      child.stdin.end("\n");
      resolve({ code, signal });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  return { pid: child.pid ?? 0, ended, output, kill: (signal) => void child.kill(signal) };
}
