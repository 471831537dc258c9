import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import postgres from "postgres";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { findRunning } from "../../src/postgres/find-running.ts";
import { ChildServer } from "./child-server.ts";
import { projectDirectory } from "./environment.ts";
import { run } from "./run.ts";

const readyLine = Type.Object({
  ready: Type.Literal(true),
  url: Type.String(),
  ssh: Type.String(),
  data: Type.String(),
  users: Type.Object({ root: Type.Object({ password: Type.String(), tokens: Type.Object({ bench: Type.String() }) }) }),
});

const listeningLine = Type.Object({ url: Type.String(), ssh: Type.String() });
const tokenAnswer = Type.Object({ sha1: Type.String() });
const statistics = Type.Object({ packs: Type.Integer() });
const seed = { users: [{ username: "root", admin: true, tokens: [{ name: "bench", scopes: ["all"] }] }] };

export interface StithyServer extends AsyncDisposable {
  pid: number;
  /** without a slash at the end */
  url: string;
  /** the same for SSH */
  ssh: string;
  /** Of the user root. */
  password: string;
  token: string;
  readyMs: number;
  /** Runs `stithy repo stats` on a repository of root's. */
  countPacks(name: string): Promise<number>;
  /** Runs `stithy admin seed` on a file. */
  seed(path: string): Promise<void>;
  /** A connection to its database; whoever takes it ends it. */
  connect(): Promise<postgres.Sql>;
  /** Creates an empty repository of root's; its URL for git, with the token in it. */
  createRepository(name: string, defaultBranch: string): Promise<string>;
}

/**
 * Starts the forge with an empty temporary data directory, of which nothing is synced to disk: from source, or the executable
 * `binary`. All of it is where the system's temporary files are, as the data of a lasting server is on a disk.
 */
export async function startStithy(
  binary: string | null,
  env: Readonly<Record<string, string>> = {},
): Promise<StithyServer> {
  const directory = await makeDirectory();
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const server = await ChildServer.start(
      [...programOf(binary), "serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)],
      { TMPDIR: directory, ...env },
    );
    const { url, ssh, data, users } = Value.Parse(readyLine, server.ready);
    const { password, tokens } = users.root;
    return describeServer({
      binary,
      server,
      url: url.replace(/\/$/, ""),
      ssh,
      data,
      password,
      token: tokens.bench,
      remove,
    });
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A temporary directory that the database's user, who may be another one, can pass through. */
async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "stithy-bench-data-"));
  await chmod(directory, 0o711);
  return directory;
}

/**
 * Starts it as it is meant to be used, with an empty data directory that would last: it syncs to disk and looks after its
 * repositories. `within` may put the command that does so into another one.
 */
export async function startLastingStithy(
  binary: string | null,
  within: (command: string[]) => string[],
): Promise<StithyServer> {
  const directory = await makeDirectory();
  const data = join(directory, "data");
  const password = crypto.randomUUID();
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const administrator = { STITHY_ADMIN_USER: "root", STITHY_ADMIN_PASSWORD: password };
    const server = await ChildServer.start(
      within([...programOf(binary), "serve", "--data", data, "--port", "0"]),
      administrator,
      '"msg":"Listening"',
    );
    const { url: given, ssh } = Value.Parse(listeningLine, server.ready);
    const url = given.replace(/\/$/, "");
    const response = await fetch(`${url}/api/v1/users/root/tokens`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`root:${password}`).toString("base64")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "bench", scopes: ["all"] }),
    });
    if (response.status !== 201)
      throw new Error(`A token could not be made: ${response.status} ${await response.text()}`);
    const token = Value.Parse(tokenAnswer, await response.json()).sha1;
    return describeServer({ binary, server, url, ssh, data, password, token, remove });
  } catch (error) {
    await remove();
    throw error;
  }
}

function programOf(binary: string | null): string[] {
  return binary === null ? [process.execPath, join(projectDirectory, "src", "main.ts")] : [resolve(binary)];
}

interface Started {
  binary: string | null;
  server: ChildServer;
  url: string;
  ssh: string;
  data: string;
  password: string;
  token: string;
  remove: () => Promise<void>;
}

function describeServer({ binary, server, url, ssh, data, password, token, remove }: Started): StithyServer {
  return {
    pid: server.pid,
    url,
    ssh,
    password,
    token,
    readyMs: server.readyMs,
    async countPacks(name) {
      const { stdout } = await run([...programOf(binary), "repo", "stats", `root/${name}`, "--json", "--data", data]);
      return Value.Parse(statistics, JSON.parse(stdout)).packs;
    },
    async seed(path) {
      await run([...programOf(binary), "admin", "seed", path, "--data", data]);
    },
    async connect() {
      const connection = await findRunning(join(data, "postgres"));
      return postgres({ ...connection, max: 1, onnotice: () => {} });
    },
    async createRepository(name, defaultBranch) {
      const response = await fetch(`${url}/api/v1/user/repos`, {
        method: "POST",
        headers: { authorization: `token ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name, default_branch: defaultBranch }),
      });
      if (response.status !== 201)
        throw new Error(`Repository "${name}" could not be created: ${response.status} ${await response.text()}`);
      return `${url.replace("://", `://root:${token}@`)}/root/${name}.git`;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await remove();
    },
  };
}
