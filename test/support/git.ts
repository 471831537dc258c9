import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a run of git printed, and whether it went well. */
export interface GitRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** A fetch starts git's upkeep in the background (always after --refetch), where it removes packs that the next command is reading. */
export const withoutMaintenance = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

const environment = {
  PATH: process.env["PATH"],
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  ...withoutMaintenance,
};

/** Runs the real git, without any configuration of the machine, whether it goes well or not. */
export async function runGit(
  cwd: string,
  args: readonly string[],
  options: { input?: string | Uint8Array; env?: Record<string, string> } = {},
): Promise<GitRun> {
  const child = Bun.spawn(["git", ...args], {
    cwd,
    env: { ...environment, HOME: cwd, ...options.env },
    stdin: options.input === undefined ? "ignore" : new TextEncoder().encode(String(options.input)),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

/** Runs git and answers what it printed, without the last line break; throws when it fails. */
export async function mustGit(
  cwd: string,
  args: readonly string[],
  options: { input?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const run = await runGit(cwd, args, options);
  if (run.code !== 0) {
    throw new Error(`git ${args.join(" ")} failed (${run.code}): ${run.stderr}${run.stdout}`);
  }
  return run.stdout.replace(/\n$/, "");
}

/** A directory that is gone when the test is over. */
export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "stithy-scratch-"));

  join(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** All oids that the refs of a bare repository reach, sorted, as one digest with their number. */
export async function closureOf(repository: string, patterns: readonly string[] = []): Promise<string> {
  const tips = await mustGit(repository, ["for-each-ref", "--format=%(objectname)", ...patterns]);
  const objects = await mustGit(repository, ["rev-list", "--objects", "--stdin"], { input: `${tips}\n` });
  const oids = objects
    .split("\n")
    .map((line) => line.split(" ")[0])
    .sort();
  return `${oids.length} ${new Bun.CryptoHasher("sha1").update(oids.join("\n")).digest("hex")}`;
}
