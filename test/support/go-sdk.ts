import { copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { goModule } from "./find-go.ts";
import { Scratch } from "./git.ts";
import { runDirectoryVariable } from "./run-files.ts";
import { testPassword, type TestApp } from "./test-app.ts";

/**
 * Runs, of the program in test/clients/go, the part of that name as the administrator "root-of-all". Returns the lines
 * that it wrote, one for each step that went well. Throws what it or the compiler says when one of them fails.
 */
export async function runGoSdk(app: TestApp, part: string): Promise<string[]> {
  using scratch = new Scratch();
  const program = await buildProgram(scratch);
  const stdout = await run([program, app.url, "root-of-all", testPassword, part], {
    cwd: scratch.path,
    env: { PATH: process.env["PATH"] ?? "", HOME: scratch.path },
  });
  return stdout.trim().split("\n");
}

/** Builds it once for all processes of a run, which says where; else for the caller alone. */
async function buildProgram(scratch: Scratch): Promise<string> {
  const shared = process.env[runDirectoryVariable];
  const path = join(shared ?? scratch.path, "go-sdk");
  if (!existsSync(path)) {
    // Another process may do the same at this moment.
    const built = scratch.join("go-sdk-built");
    await run(["go", "build", "-o", built, "."], { cwd: goModule, env: process.env });
    const beside = `${path}-${process.pid}`;
    copyFileSync(built, beside);
    renameSync(beside, path);
  }
  return path;
}

async function run(
  command: string[],
  options: { cwd: string; env: Record<string, string | undefined> },
): Promise<string> {
  const child = Bun.spawn(command, { ...options, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) {
    throw new Error(`${command[0]} ended with ${code}: ${stderr}${stdout}`);
  }
  return stdout;
}
