import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Commits of this git have the same oids in every run: its dates go on by a minute with each. */
const environment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ann Author",
  GIT_AUTHOR_EMAIL: "ann@example.com",
  GIT_COMMITTER_NAME: "Carl Committer",
  GIT_COMMITTER_EMAIL: "carl@example.com",
  PATH: process.env["PATH"] ?? "",
};

/** A work tree of the real git in a temporary directory, to push from and to compare with. */
export class GitWorkTree implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "stithy-work-"));
  private minutes = 0;

  static async create(branch = "main"): Promise<GitWorkTree> {
    const tree = new GitWorkTree();
    await tree.git("init", "-q", "-b", branch, ".");
    return tree;
  }

  /** What git prints, without the line feed at its end. Throws with what it says on stderr. */
  async git(...args: string[]): Promise<string> {
    return (await this.run(args)).toString().replace(/\n$/, "");
  }

  /** The same as bytes. */
  async run(args: readonly string[]): Promise<Buffer> {
    const date = new Date(Date.UTC(2024, 0, 2, 3, this.minutes)).toISOString().slice(0, 19);
    const child = Bun.spawn(["git", ...args], {
      cwd: this.directory,
      env: { ...environment, GIT_AUTHOR_DATE: `${date}+0200`, GIT_COMMITTER_DATE: `${date}-0330` },
      stderr: "pipe",
    });
    const [output, complaint] = await Promise.all([
      new Response(child.stdout).bytes(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0) {
      throw new Error(`git ${args.join(" ")}: ${complaint}`);
    }
    return Buffer.from(output);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const file = join(this.directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** Notes a submodule; there is nothing in its directory, as in a clone without submodules. */
  async submodule(path: string, oid: string): Promise<void> {
    await mkdir(join(this.directory, path), { recursive: true });
    await this.git("update-index", "--add", "--cacheinfo", `160000,${oid},${path}`);
  }

  link(path: string, target: string): Promise<void> {
    return symlink(target, join(this.directory, path));
  }

  /** Commits all there is, a minute after the commit before. Answers the oid. */
  async commit(message: string): Promise<string> {
    this.minutes++;
    await this.git("add", "-A");
    await this.git("commit", "-q", "--allow-empty", "-m", message);
    return this.git("rev-parse", "HEAD");
  }

  /** Pushes refspecs to a repository of a server; a token signs in. */
  push(url: string, token: string, ...refspecs: string[]): Promise<string> {
    return this.git("push", "-q", url.replace("://", `://token:${token}@`), ...refspecs);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
