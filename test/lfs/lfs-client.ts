import { writeFileSync } from "node:fs";
import { mustGit, runGit, Scratch, type GitRun } from "../support/git.ts";

/** Whether the real git-lfs is there to test with; says so once where it is not. */
export const hasGitLfs = (() => {
  const found = Bun.which("git-lfs") !== null;
  if (!found) {
    console.warn("LEFT OUT: git-lfs is not installed, so nothing is tested with it");
  }
  return found;
})();

/** Where git finds a repository of the server, as this user. */
export function remoteUrl(app: { url: string }, user: { name: string; token: string }, path: string): string {
  return `${app.url.replace("://", `://${user.name}:${user.token}@`)}/${path}.git`;
}

/** A work tree with LFS set up for `*.bin`, and a remote. */
export class LfsWorkTree implements Disposable {
  private readonly scratch = new Scratch();
  readonly path = this.scratch.join("work");

  private constructor(private readonly env: Record<string, string>) {}

  /** A new history whose `origin` is the remote. */
  static async create(remote: string, env: Record<string, string> = {}): Promise<LfsWorkTree> {
    const tree = new LfsWorkTree(env);
    await mustGit(tree.scratch.path, ["init", "-q", "-b", "main", "work"]);
    await tree.git("remote", "add", "origin", remote);
    await tree.install();
    await tree.git("lfs", "track", "*.bin");
    return tree;
  }

  /** A clone whose files are there; `skipContent` leaves pointers. */
  static async clone(
    remote: string,
    { skipContent = false, env = {} }: { skipContent?: boolean; env?: Record<string, string> } = {},
  ): Promise<LfsWorkTree> {
    const tree = new LfsWorkTree(env);
    const filters = ["clean", "smudge", "process"].flatMap((name) => [
      "-c",
      `filter.lfs.${name}=git-lfs ${name === "process" ? "filter-process" : `${name} -- %f`}`,
    ]);
    const skip: Record<string, string> = skipContent ? { GIT_LFS_SKIP_SMUDGE: "1" } : {};
    await mustGit(tree.scratch.path, [...filters, "-c", "filter.lfs.required=true", "clone", "-q", remote, "work"], {
      env: { ...env, ...skip },
    });
    await tree.install();
    return tree;
  }

  private async install(): Promise<void> {
    await this.git("lfs", "install", "--local", "--skip-smudge");
    await this.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f");
    await this.git("config", "filter.lfs.process", "git-lfs filter-process");
  }

  /** Throws with what git says when it fails. */
  git(...args: string[]): Promise<string> {
    return mustGit(this.path, args, { env: this.env });
  }

  /** Whether it goes well or not. */
  run(...args: string[]): Promise<GitRun> {
    return runGit(this.path, args, { env: this.env });
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(this.join(name), content);
  }

  join(name: string): string {
    return `${this.path}/${name}`;
  }

  async commit(message: string): Promise<void> {
    await this.git("add", "-A");
    await this.git("commit", "-q", "-m", message);
  }

  [Symbol.dispose](): void {
    this.scratch[Symbol.dispose]();
  }
}
