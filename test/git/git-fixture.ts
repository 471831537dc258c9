import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory for one test file, and real git in it, with fixed names and dates so that oids are the same in every run. */
export class GitFixture implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "stithy-git-"));
  private made = 0;

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A path in the directory that nothing uses yet. */
  path(name: string): string {
    return join(this.directory, `${++this.made}-${name}`);
  }

  /** An empty bare repository. */
  repository(format: "sha1" | "sha256" = "sha1"): string {
    const path = this.path("repository");
    this.git(this.directory, ["init", "-q", "--bare", "-b", "main", `--object-format=${format}`, path]);
    return path;
  }

  /** The pack files of a repository. */
  packs(repository: string): string[] {
    const directory = join(repository, "objects", "pack");
    return readdirSync(directory)
      .filter((name) => name.endsWith(".pack"))
      .map((name) => join(directory, name));
  }

  /** Runs git and returns what it prints. Throws if it fails. */
  git(cwd: string, args: readonly string[], input: string | Uint8Array = ""): Buffer {
    const { exitCode, stdout, stderr } = this.tryGit(cwd, args, input);
    if (exitCode !== 0) {
      throw new Error(`git ${args.join(" ")} failed: ${stderr.toString()}`);
    }
    return stdout;
  }

  tryGit(
    cwd: string,
    args: readonly string[],
    input: string | Uint8Array = "",
  ): { exitCode: number; stdout: Buffer; stderr: Buffer } {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], {
      cwd,
      stdin: Buffer.from(input),
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: this.directory,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "A",
        GIT_AUTHOR_EMAIL: "a@example.com",
        GIT_AUTHOR_DATE: "1700000000 +0000",
        GIT_COMMITTER_NAME: "C",
        GIT_COMMITTER_EMAIL: "c@example.com",
        GIT_COMMITTER_DATE: "1700000000 +0000",
      },
    });
    return { exitCode, stdout, stderr };
  }
}
