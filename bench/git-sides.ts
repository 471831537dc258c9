import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ChildServer } from "./support/child-server.ts";
import { git } from "./support/run.ts";
import { serverCpu } from "./support/server-cpu.ts";
import { startLastingStithy, type StithyServer } from "./support/stithy-server.ts";

/** One of the servers that are compared. */
export interface Side extends AsyncDisposable {
  label: string;
  pid: number;
  /** URL of a new, empty repository, for git */
  createRepository(name: string, defaultBranch: string): Promise<string>;
  /** in how many packs a repository lies, and how many objects are loose, for people */
  packs(name: string): Promise<string>;
  /** processor time that counts as the server's own, in milliseconds, once it rests */
  cpu(): Promise<number>;
  /** what counts it, for people */
  clock: string;
}

/** `git http-backend`, behind the smallest possible front. Its repositories are in a folder of the scratch directory. */
export interface GitSide extends Side {
  /** the bare repository that a name stands for */
  pathOf(name: string): string;
}

export interface OurSide extends Side {
  server: StithyServer;
}

export async function gitSide(label: string, scratch: string): Promise<GitSide> {
  const root = join(scratch, label);
  await mkdir(root, { recursive: true });
  const counter = serverCpu(label);
  const server = await ChildServer.start(
    counter.start([process.execPath, join(import.meta.dir, "git-http-front.ts"), root]),
  );
  const { url } = server.ready as { url: string };
  const pathOf = (name: string): string => join(root, `${name}.git`);
  return {
    label,
    pid: server.pid,
    pathOf,
    async createRepository(name, defaultBranch) {
      await git(root, "init", "--quiet", "--bare", `--initial-branch=${defaultBranch}`, `${name}.git`);
      await git(pathOf(name), "config", "http.receivepack", "true");
      await git(pathOf(name), "config", "receive.fsckObjects", "true");
      return `${url}/${name}.git`;
    },
    // Of this side only git itself counts, not the front that passes bytes on.
    async packs(name) {
      const counts = await git(pathOf(name), "count-objects", "-v");
      const [loose, packs] = ["count", "packs"].map(
        (field) => new RegExp(`^${field}: (\\d+)`, "m").exec(counts)?.[1] ?? "0",
      );
      return loose === "0" ? `${packs}` : `${packs} + ${loose} loose`;
    },
    cpu: () => counter.settled(server.pid, false),
    clock: counter.clock,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await counter[Symbol.asyncDispose]();
    },
  };
}

export async function ourSide(binary: string | null): Promise<OurSide> {
  const counter = serverCpu("stithy");
  const server = await startLastingStithy(binary, counter.start);
  return {
    label: "stithy",
    pid: server.pid,
    server,
    createRepository: (name, defaultBranch) => server.createRepository(name, defaultBranch),
    packs: async (name) => (await server.countPacks(name)).toString(),
    cpu: () => counter.settled(server.pid, true),
    clock: counter.clock,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await counter[Symbol.asyncDispose]();
    },
  };
}
