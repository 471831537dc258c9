import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import postgres from "postgres";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { FileLock } from "../../src/lib/file-lock.ts";
import { silentLogger as log } from "../../src/lib/log.ts";
import { DirectoryInUse, IncompatibleCluster, NoAccount } from "../../src/postgres/errors.ts";
import { EmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { findRunning } from "../../src/postgres/find-running.ts";
import type { Connection } from "../../src/postgres/postmaster.ts";
import { ClusterTemplate } from "../../src/postgres/template.ts";
import { until } from "../support/until.ts";

const isRoot = process.geteuid?.() === 0;
const nobody = 65_534;
let root = "";
let cacheDirectory = "";
let template: ClusterTemplate;
let timesPrepared = 0;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "stithy-test-"));
  chmodSync(root, 0o711);
  cacheDirectory = join(root, "cache");
  template = await prepareTemplate();
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function prepareTemplate(): Promise<ClusterTemplate> {
  return ClusterTemplate.prepare({
    cacheDirectory,
    key: "a table",
    log,
    prepare: async (connection) => {
      timesPrepared += 1;
      await query(connection, "create table note (text text primary key)");
    },
  });
}

async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe<Record<string, unknown>[]>(text))];
  } finally {
    await sql.end();
  }
}

function newDirectory(name: string): string {
  return join(root, `${name}-${crypto.randomUUID().slice(0, 8)}`);
}

async function directoryWithCluster(name: string): Promise<string> {
  const directory = newDirectory(name);
  await template.copyTo(directory);
  return directory;
}

function start(directory: string, durable = false): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ directory, cacheDirectory, durable, log });
}

/** Waits for the lock of a directory whose processes were killed: the system gives it back a moment after they are gone. */
function untilFree(directory: string): Promise<unknown> {
  return until("the directory is free", () => {
    using lock = FileLock.tryAcquire(join(directory, "server.lock"));
    return lock !== null;
  });
}

function isRunning(pid: number): boolean {
  // Whether it is a zombie that an outer process has yet to collect tells its state, after the name in parentheses.
  const status = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return status !== "" && !status.startsWith("Z");
}

const Started = Type.Object({ pid: Type.Integer() });

/** A server in a process of its own, which a test may kill. */
class Child {
  readonly #lines: AsyncIterator<string>;

  private constructor(readonly process: ChildProcess) {
    if (process.stdout === null) {
      throw new Error("The child has no output");
    }
    this.#lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  }

  static start(directory: string, user: { uid?: number; gid?: number } = {}): Child {
    const program = join(import.meta.dir, "../support/postgres-child.ts");
    return new Child(
      spawn(process.execPath, [program, directory, cacheDirectory], { ...user, stdio: ["pipe", "pipe", "inherit"] }),
    );
  }

  async answer(): Promise<unknown> {
    const line = await this.#lines.next();
    return JSON.parse(line.done === true ? "null" : line.value);
  }

  async started(): Promise<Static<typeof Started>> {
    return Value.Parse(Started, await this.answer());
  }

  query(text: string): Promise<unknown> {
    this.process.stdin?.write(`${text}\n`);
    return this.answer();
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await gone;
  }

  async stop(): Promise<number | null> {
    const gone = new Promise<number | null>((resolve) => this.process.once("exit", resolve));
    this.process.stdin?.end();
    return gone;
  }
}

describe("who the server runs as", () => {
  test.if(isRoot)("as root, under another user that owns the cluster", async () => {
    const directory = newDirectory("root");
    await using server = await start(directory, true);
    expect(
      await query(
        server.connection,
        "select current_user, current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp",
      ),
    ).toEqual([{ current_user: "stithy", fsync: "on", tcp: "" }]);
    expect(statSync(join(directory, "cluster")).uid).not.toBe(0);
    expect(statSync(server.connection.host).mode & 0o777).toBe(0o700);
  });

  test.if(isRoot && isOpenToNobody())("as an ordinary user, who owns everything", async () => {
    const directory = newDirectory("nobody");
    mkdirSync(directory);
    chownSync(directory, nobody, nobody);
    const child = Child.start(directory, { uid: nobody, gid: nobody });
    await child.started();
    expect(await child.query("select 1 as one")).toEqual([{ one: 1 }]);
    expect(await child.stop()).toBe(0);
    expect(statSync(join(directory, "cluster")).uid).toBe(nobody);
  });

  test.if(isRoot)(
    "as root in a closed directory: in a user namespace, or refused with the directory's name",
    async () => {
      const closed = newDirectory("closed");
      mkdirSync(closed, { mode: 0o700 });
      const directory = join(closed, "data");
      if (spawnSync("unshare", ["--user", "--map-user=65534", "--map-group=65534", "true"]).status === 0) {
        await using server = await start(directory);
        expect(await query(server.connection, "select current_user")).toEqual([{ current_user: "stithy" }]);
        expect(statSync(join(directory, "cluster")).uid).toBe(0);
      } else {
        const refusal = await start(directory).then(
          () => null,
          (error: unknown) => error,
        );
        expect(refusal).toBeInstanceOf(NoAccount);
        expect(refusal).toMatchObject({ directory: closed });
      }
    },
  );
});

describe("one directory", () => {
  test("a long path moves the socket to the temporary folder", async () => {
    const directory = join(root, "a".repeat(100), "data");
    mkdirSync(directory, { recursive: true });
    await template.copyTo(directory);
    const server = await start(directory);
    const { host } = server.connection;
    expect(host).toStartWith(tmpdir());
    expect(host.length).toBeLessThanOrEqual(90);
    expect(statSync(host).mode & 0o777).toBe(0o700);
    expect(await query(server.connection, "select 1 as one")).toEqual([{ one: 1 }]);
    await server[Symbol.asyncDispose]();
    expect(existsSync(host)).toBe(false);
  });

  test("a second server is refused while the first runs, and only then", async () => {
    const directory = await directoryWithCluster("twice");
    const first = await start(directory);
    await expect(start(directory)).rejects.toBeInstanceOf(DirectoryInUse);
    const child = Child.start(directory);
    expect(await child.answer()).toEqual({ code: "postgres-directory-in-use" });
    expect(await findRunning(directory)).toEqual(first.connection);
    await first[Symbol.asyncDispose]();
    await using second = await start(directory);
    expect(await query(second.connection, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("the data of another major version is refused and left alone", async () => {
    const directory = await directoryWithCluster("old");
    const versionFile = join(directory, "cluster", "PG_VERSION");
    writeFileSync(versionFile, "16\n");
    const refusal = await start(directory).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(IncompatibleCluster);
    expect(refusal).toMatchObject({ found: "16" });
    expect(String(refusal)).toContain("was written by PostgreSQL 16 and this server contains PostgreSQL 18");
    expect(readFileSync(versionFile, "utf8")).toBe("16\n");
  });

  test("a stale pid file that names another process does not keep it from starting", async () => {
    const directory = await directoryWithCluster("stale");
    await start(directory).then((server) => server[Symbol.asyncDispose]());
    const cluster = join(directory, "cluster");
    const bystander = spawn("sleep", ["60"], { ...(isRoot ? { uid: statSync(cluster).uid } : {}), stdio: "ignore" });
    writeFileSync(join(cluster, "postmaster.pid"), `${bystander.pid}\n${cluster}\n1\n5432\n\n\n\nready   \n`);
    chownSync(join(cluster, "postmaster.pid"), statSync(cluster).uid, statSync(cluster).gid);
    await using server = await start(directory);
    expect(await query(server.connection, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(bystander.kill()).toBe(true);
  });

  test("a template is made once, and its copies are servers of their own", async () => {
    const again = await prepareTemplate();
    expect(again.name).toBe(template.name);
    expect(timesPrepared).toBe(1);
    await using one = await start(await directoryWithCluster("one"));
    await using two = await start(await directoryWithCluster("two"));
    await query(one.connection, "insert into note values ('only here')");
    expect(await query(two.connection, "select * from note")).toEqual([]);
  });
});

describe("when something dies", () => {
  test("a killed database server is started again", async () => {
    await using server = await start(await directoryWithCluster("restart"), true);
    await query(server.connection, "insert into note values ('kept')");
    const { pid } = server;
    process.kill(pid, "SIGKILL");
    await until("it was started again", () => server.restartCount === 1);
    expect(server.pid).not.toBe(pid);
    expect(await query(server.connection, "select text from note")).toEqual([{ text: "kept" }]);
  });

  test("it does not outlive a killed parent, and what was committed is there afterwards", async () => {
    const directory = await directoryWithCluster("parent");
    const child = Child.start(directory);
    const { pid } = await child.started();
    await child.query("insert into note values ('committed')");
    await child.kill();
    await until("the database server is gone", () => !isRunning(pid));
    await using server = await start(directory, true);
    expect(await query(server.connection, "select text from note")).toEqual([{ text: "committed" }]);
  });

  test("a committed row survives kill -9 of everything at once", async () => {
    const directory = await directoryWithCluster("everything");
    const child = Child.start(directory);
    const { pid } = await child.started();
    await child.query("insert into note values ('durable')");
    child.process.kill("SIGKILL");
    // The server and the shell that watches are one process group; sessions end with their server.
    process.kill(-pid, "SIGKILL");
    await until("the database server is gone", () => !isRunning(pid));
    await untilFree(directory);
    await using server = await start(directory, true);
    expect(await query(server.connection, "select text from note")).toEqual([{ text: "durable" }]);
  });

  test("a first start that was killed while it made the cluster is begun anew", async () => {
    const directory = newDirectory("first");
    const clusters = () =>
      existsSync(directory) ? readdirSync(directory).filter((name) => name.startsWith("cluster")) : [];
    const child = Child.start(directory);
    await until("a cluster is being made", () => clusters().length > 0);
    expect(clusters()).not.toContain("cluster");
    await child.kill();
    // A process that was about to become initdb has the lock, too, until it is that.
    await untilFree(directory);
    await using server = await start(directory, true);
    expect(await query(server.connection, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(clusters()).toEqual(["cluster"]);
  });

  test.if(process.platform === "linux")("a server that was left behind is stopped by the next start", async () => {
    const directory = await directoryWithCluster("leftover");
    const child = Child.start(directory);
    const { pid } = await child.started();
    await child.query("insert into note values ('before')");
    for (const watcher of watchersOf(pid)) {
      process.kill(watcher, "SIGKILL");
    }
    await child.kill();
    expect(isRunning(pid)).toBe(true);
    await using server = await start(directory);
    expect(isRunning(pid)).toBe(false);
    expect(server.pid).not.toBe(pid);
    expect(await query(server.connection, "select text from note")).toEqual([{ text: "before" }]);
  });
});

/** The shells in a server's process group. */
function watchersOf(pid: number): number[] {
  const processes = readdirSync("/proc").map(Number).filter(Number.isSafeInteger);
  return processes.filter((other) => {
    try {
      const [, , group] = (readFileSync(`/proc/${other}/stat`, "utf8").split(") ")[1] ?? "").split(" ");
      return Number(group) === pid && readFileSync(`/proc/${other}/cmdline`, "utf8").startsWith("/bin/sh\0");
    } catch {
      return false;
    }
  });
}

/** Whether an ordinary user can run this checkout at all: a checkout below root's home is closed to everyone else. */
function isOpenToNobody(): boolean {
  const result = spawnSync(
    process.execPath,
    ["-e", `await import(${JSON.stringify(join(import.meta.dir, "../../src/lib/errors.ts"))})`],
    { uid: nobody, gid: nobody, cwd: "/", stdio: "ignore" },
  );
  if (result.status !== 0) {
    console.log("Left out: the embedded server as an ordinary user, because this checkout is closed to other users");
  }
  return result.status === 0;
}
