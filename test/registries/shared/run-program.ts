import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findGo } from "../../support/find-go.ts";

interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. It has no environment of the caller's but the path. */
export async function tryProgram(
  command: readonly string[],
  { cwd, env }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`, LC_ALL: "C", ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, stdout, stderr };
}

/** The same; throws with what the program said when it fails. Returns what it wrote. */
export async function runProgram(
  command: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const { status, stdout, stderr } = await tryProgram(command, options);
  if (status !== 0) {
    throw new Error(`${command.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  }
  return stdout;
}

/** Says which of these programs are not there: their tests are left out, and `.ci/run` fails by that. */
export function missingPrograms(what: string, programs: readonly string[]): boolean {
  const missing = programs.filter((program) => Bun.which(program) === null);
  if (missing.length > 0) {
    console.log(`LEFT OUT: ${what}, because there is no ${missing.join(", no ")}`);
  }
  return missing.length > 0 || (programs.includes("go") && !findGo(what));
}

/** A directory of a test's own; `using` removes it. */
export class ScratchDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "stithy-registry-"));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
