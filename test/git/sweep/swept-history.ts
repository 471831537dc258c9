import { readdirSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "../../../bench/support/environment.ts";
import { GitEngine } from "../../../src/git/engine.ts";
import type { Operations, Streams, WriteOperations } from "../../../src/git/operations/operations.ts";
import type { RepositoryView } from "../../../src/git/job/repository-view.ts";
import { silentLogger } from "../../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../../src/workers.ts";
import { Scratch } from "../../support/git.ts";
import type { SeededRandom } from "../../support/random.ts";

export interface GitAnswer {
  readonly code: number;
  readonly bytes: Uint8Array;
}

const cacheBytes = 96 * 1024 * 1024;

/** A bare repository that both are asked about. Nothing is written to it. */
export class SweptHistory implements AsyncDisposable {
  /** for what git writes or is to read besides the repository */
  readonly scratch = new Scratch();
  readonly #engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes,
    limits: { callTimeoutMs: 10 * 60_000, streamWindowBytes: 8 << 20 },
    log: silentLogger,
  });

  private constructor(
    readonly path: string,
    readonly view: RepositoryView,
    /** of all refs, latest first; the parents behind each */
    readonly commits: readonly (readonly [oid: string, ...parents: string[]])[],
    /** those with two parents */
    readonly merges: readonly (readonly [oid: string, ...parents: string[]])[],
  ) {}

  /** Throws when there is no pack, or no commit. */
  static async open(path: string): Promise<SweptHistory> {
    const directory = join(path, "objects", "pack");
    const packs = readdirSync(directory)
      .filter((name) => name.endsWith(".pack"))
      .map((name) => join(directory, name));
    const listed = await runGit(path, ["rev-list", "--all", "--date-order", "--parents"]);
    const commits = linesOf(listed.bytes).map((line) => line.split(" ") as [string, ...string[]]);
    if (packs.length === 0 || commits.length === 0) {
      throw new Error(`There are no packs, or no commits, in "${path}"`);
    }
    const view: RepositoryView = { key: "swept:1", format: commits[0]![0].length === 40 ? "sha1" : "sha256", packs };
    return new SweptHistory(
      path,
      view,
      commits,
      commits.filter(({ length }) => length === 3),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine[Symbol.asyncDispose]();
    this.scratch[Symbol.dispose]();
  }

  call<Name extends keyof Operations>(name: Name, args: Operations[Name]["args"]): Promise<Operations[Name]["result"]> {
    return this.#engine.call(this.view, name, args);
  }

  /** Makes objects, in packs elsewhere. */
  write<Name extends Exclude<keyof WriteOperations, "indexPack">>(
    name: Name,
    args: WriteOperations[Name]["args"],
  ): Promise<WriteOperations[Name]["result"]> {
    return this.#engine.write(this.view, name, args);
  }

  async read<Name extends keyof Streams>(name: Name, args: Streams[Name]["args"]): Promise<Uint8Array> {
    return new Uint8Array(
      await new Response(
        this.#engine.stream(this.view, name, args) as ReadableStream<Uint8Array<ArrayBuffer>>,
      ).arrayBuffer(),
    );
  }

  git(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<GitAnswer> {
    return runGit(this.path, args, environment);
  }

  /** What git prints; null when it fails. */
  async bytes(args: readonly string[]): Promise<Uint8Array | null> {
    const { code, bytes } = await this.git(args);
    return code === 0 ? bytes : null;
  }

  /** The same as text in which each byte is a character. */
  async text(args: readonly string[]): Promise<string | null> {
    const bytes = await this.bytes(args);
    return bytes && Buffer.from(bytes).toString("latin1");
  }

  pickCommit(random: SeededRandom): string {
    return this.commits[random.below(this.commits.length)]![0];
  }

  /** Two commits, most often near each other: what is far apart takes long to compare and is compared the same way. */
  pickPair(random: SeededRandom): [older: string, newer: string] {
    const { commits } = this;
    const at = random.below(commits.length);
    const [newer, parent] = commits[at]!;
    if (parent !== undefined && random.below(3) === 0) {
      return [parent, newer];
    }
    const furthest = random.below(Math.ceil(Math.log2(commits.length + 1)));
    const apart = 1 + random.below(2 ** (random.below(6) === 0 ? furthest : Math.min(8, furthest)));
    return [commits[Math.min(commits.length - 1, at + apart)]![0], newer];
  }

  /** Paths of a commit's files, without those that no command line can name. */
  async filesOf(commit: string): Promise<string[]> {
    const bytes = (await this.bytes(["ls-tree", "-r", "-z", commit])) ?? new Uint8Array(0);
    const entries = Buffer.from(bytes).toString().split("\0");
    return entries
      .filter((entry) => entry.includes(" blob ") && !entry.includes("\ufffd"))
      .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  }
}

async function runGit(
  path: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<GitAnswer> {
  const env = { ...childEnvironment({ TZ: "UTC", GIT_NO_LAZY_FETCH: "1" }), ...environment };
  const child = Bun.spawn(["git", "-C", path, ...args], { env, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const [bytes, code] = await Promise.all([child.stdout.bytes(), child.exited]);
  return { code, bytes };
}

export function linesOf(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString().split("\n").filter(Boolean);
}
