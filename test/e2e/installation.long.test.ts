import { afterAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { createTestDatabase } from "../support/cluster.ts";
import { ServerProcess } from "../support/server-process.ts";
import { OpenDirectory, StithyProcess, runStithy, type StithyRun } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** A database and a data directory that do not belong together are refused before anything is written or removed. */

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

function connect(url: string): postgres.Sql {
  const { host, user, database } = parseConnectionUrl(url);
  return postgres({ host, user, database, max: 1, onnotice: () => {} });
}

/** A database of its own; `tables: "none"` drops the migrated tables. */
async function newDatabase(tables: "migrated" | "none" = "none"): Promise<{ url: string; sql: postgres.Sql }> {
  const { url } = stack.use(await createTestDatabase());
  const sql = connect(url);
  stack.defer(() => sql.end());
  if (tables === "none") {
    await sql`drop schema public cascade`;
    await sql`create schema public`;
  }
  return { url, sql };
}

const tablesOf = async (sql: postgres.Sql) =>
  (await sql`select tablename from pg_tables where schemaname = 'public' order by 1`).map((row) => row["tablename"]);

/** Packs and blobs; all of them are made old, so that a collector would take them. */
function storedFiles(data: string): string[] {
  const files = ["packs", "blobs"].flatMap((store) =>
    readdirSync(join(data, store), { recursive: true })
      .map((name) => join(data, store, String(name)))
      .filter((path) => /\.(pack|idx)$|[0-9a-f]{64}$/.test(path)),
  );
  files.forEach((path) => utimesSync(path, 1, 1));
  return files.sort();
}

/** A data directory with a repository in it, as a server leaves it that was stopped. */
async function fill(data: string, settings: Record<string, string> = {}): Promise<string[]> {
  await using server = await ServerProcess.start(data, settings);
  expect((await server.api.post("/user/repos", { name: "site", auto_init: true })).status).toBe(201);
  expect(await server.process.stop()).toBe(0);
  return storedFiles(data);
}

const serve = (data: string, env: Record<string, string> = {}) =>
  runStithy(["serve", "--data", data, "--port", "0"], { env });

function expectRefused(run: StithyRun, code: number, ...words: string[]): void {
  for (const word of words) {
    expect(run.stderr).toContain(word);
  }
  expect(run.stderr).not.toMatch(/^\s+at /m);
  expect(run.code).toBe(code);
}

/** The server starts on them, and gives the file that was committed. */
async function expectWhole(data: string, settings: Record<string, string> = {}): Promise<void> {
  await using server = await ServerProcess.start(data, settings);
  expect((await server.api.get("/repos/root/site/contents/README.md")).status).toBe(200);
  expect(await server.process.stop()).toBe(0);
}

describe("an embedded database", () => {
  const directory = new OpenDirectory();
  afterAll(() => directory[Symbol.dispose]());

  test("that is gone is not made anew beside files; given back, all is there", async () => {
    const data = directory.join("data");
    mkdirSync(data);
    const files = await fill(data);
    expect(files.length).toBeGreaterThan(1);
    renameSync(join(data, "postgres"), directory.join("kept"));

    expectRefused(await serve(data), 2, "is new and empty", "DATABASE_URL", "restore it from a backup");
    for (const command of [
      ["admin", "list-users"],
      ["repo", "stats", "--all"],
      ["admin", "adopt-directory", "--yes"],
    ]) {
      expectRefused(await runStithy([...command, "--data", data]), 2, "is new and empty");
    }
    expect(storedFiles(data)).toEqual(files);
    expect(existsSync(join(data, "postgres", "cluster"))).toBe(false);

    rmSync(join(data, "postgres"), { recursive: true, force: true });
    renameSync(directory.join("kept"), join(data, "postgres"));
    await expectWhole(data);
  });

  test("and files that it does not know: a command shows them, and removes them when it is told to", async () => {
    const data = directory.join("data");
    const files = storedFiles(data);
    const strange = Array.from({ length: 130 }, (_, index) => index.toString(16).padStart(64, "d"));
    const young = `dd${"e".repeat(62)}`;
    mkdirSync(join(data, "blobs", "dd"));
    strange.forEach((name) => writeFileSync(join(data, "blobs", "dd", name), name));
    writeFileSync(join(data, "blobs", "dd", young), "young");
    expect(storedFiles(data)).toHaveLength(files.length + 131);
    const now = Date.now() / 1000;
    utimesSync(join(data, "blobs", "dd", young), now, now);
    const command = ["admin", "remove-unknown-files", "--json", "--data", data];
    const packs = { kind: "packs", all: files.length / 2, unknown: 0, removed: 0 };
    const show = await runStithy(command);
    expect(JSON.parse(show.stdout)).toEqual([packs, { kind: "blobs", all: 131, unknown: 130, removed: 0 }]);
    expect(readdirSync(join(data, "blobs", "dd"))).toHaveLength(131);
    const remove = await runStithy([...command, "--yes"]);
    expect(JSON.parse(remove.stdout)).toEqual([packs, { kind: "blobs", all: 131, unknown: 130, removed: 130 }]);
    expect(readdirSync(join(data, "blobs", "dd"))).toEqual([young]);
    await expectWhole(data);
  });
});

describe("an outside database", () => {
  const directory = new OpenDirectory();
  afterAll(() => directory[Symbol.dispose]());
  const newDirectory = (name: string) => {
    mkdirSync(directory.join(name));
    return directory.join(name);
  };

  test("that belongs to another installation, or to none, is refused and not written to", async () => {
    const own = await newDatabase();
    const data = newDirectory("own");
    const files = await fill(data, { DATABASE_URL: own.url });

    const other = await newDatabase();
    const otherData = newDirectory("other");
    await fill(otherData, { DATABASE_URL: other.url });
    const empty = await newDatabase();
    const foreign = await newDatabase();
    await foreign.sql`create table invoices (id int)`;
    const stranger = await newDatabase();
    await stranger.sql`create table migration (version int)`;

    expectRefused(await serve(data), 2, "its embedded database is new and empty", "DATABASE_URL");
    const id = (JSON.parse(readFileSync(join(data, "installation.json"), "utf8")) as { id: string }).id;
    expectRefused(await serve(data, { DATABASE_URL: other.url }), 2, id, `:${otherData})`, "--data");
    expectRefused(await serve(data, { DATABASE_URL: empty.url }), 2, "its database is new and empty");
    expectRefused(await serve(data, { DATABASE_URL: foreign.url }), 2, "another program", "invoices");
    expectRefused(await serve(newDirectory("new"), { DATABASE_URL: foreign.url }), 2, "another program", "invoices");
    expectRefused(
      await serve(directory.join("new"), { DATABASE_URL: stranger.url }),
      2,
      "another program",
      "migration",
    );
    const doctor = await runStithy(["doctor", "--json", "--data", data], { env: { DATABASE_URL: other.url } });
    const { checks } = JSON.parse(doctor.stdout) as { checks: { check: string; ok: boolean; detail: string }[] };
    expect(doctor.code).toBe(1);
    expect(checks.at(-1)).toMatchObject({
      check: "installation",
      ok: false,
      detail: expect.stringContaining(`:${otherData})`),
    });
    for (const command of [["admin", "list-users"], ["repo", "fsck", "--all"], ["migrate"]]) {
      const run = await runStithy([...command, "--data", data], { env: { DATABASE_URL: other.url } });
      expectRefused(run, 2, id, `:${otherData})`);
    }
    expect(await tablesOf(empty.sql)).toEqual([]);
    expect(await tablesOf(foreign.sql)).toEqual(["invoices"]);
    expect(await tablesOf(stranger.sql)).toEqual(["migration"]);
    expect(storedFiles(data)).toEqual(files);
    await expectWhole(data, { DATABASE_URL: own.url });
    await expectWhole(otherData, { DATABASE_URL: other.url });
  });

  test("that is migrated and has no installation is refused for the directory of one", async () => {
    const { url, sql } = await newDatabase("migrated");
    const data = newDirectory("newer");
    writeFileSync(join(data, "installation.json"), `{"id":"${crypto.randomUUID()}","name":"x:/y"}`);
    expectRefused(await serve(data, { DATABASE_URL: url }), 2, "x:/y", "adopt-directory");
    expect(await sql`select * from installation`).toHaveLength(0);
  });

  test("takes one server at a time: neither another directory nor a copy of the same one", async () => {
    const { url, sql } = await newDatabase();
    const settings = { DATABASE_URL: url };
    const data = newDirectory("first");
    await fill(data, settings);
    await using server = await ServerProcess.start(data, settings);
    expectRefused(await serve(newDirectory("second"), settings), 2, "belongs to the installation", "to none");
    cpSync(data, directory.join("copy"), { recursive: true });
    expectRefused(await serve(directory.join("copy"), settings), 3, "Another server", "uses this database");
    expect(await server.health()).toBe(200);

    // A lost connection is made again, and the lock with it.
    const held = () => sql`select pid from pg_locks where locktype = 'advisory' and classid = 748481 and granted`;
    const [first] = await held();
    await sql`select pg_terminate_backend(${first?.["pid"]})`;
    await until("the lock is taken again", async () => {
      const [again] = await held();
      return again !== undefined && again["pid"] !== first?.["pid"];
    });
    expectRefused(await serve(directory.join("copy"), settings), 3, "Another server");
    expect(await server.health()).toBe(200);
    expect(await server.process.stop()).toBe(0);
    await expectWhole(directory.join("copy"), settings);
  });

  test("that another server took over while the connection was lost ends the first one", async () => {
    const { url, sql } = await newDatabase();
    const settings = { DATABASE_URL: url };
    const data = newDirectory("replaced");
    await fill(data, settings);
    await using server = await ServerProcess.start(data, settings);
    const other = connect(url);
    // In the queue for the lock, so that this session is next when the server's is ended.
    const taken = other`select pg_advisory_lock(748481, hashtext(id::text)) from installation`.execute();
    const waiting = () => sql`select pid from pg_locks where classid = 748481 and not granted`;
    await until("the other one waits", async () => (await waiting()).length > 0);
    await sql`select pg_terminate_backend(pid) from pg_locks where classid = 748481 and granted`;
    await taken;
    expect(await server.process.ended()).toBe(3);
    await other.end();
    expect(server.process.stderr).toContain("Another server");
  });
});

describe("a data directory without an identity", () => {
  const directory = new OpenDirectory();
  afterAll(() => directory[Symbol.dispose]());

  test("is refused with a database that has none, although it is migrated", async () => {
    const [{ url }, other] = [await newDatabase(), await newDatabase("migrated")];
    const data = directory.join("strange");
    mkdirSync(data);
    const files = await fill(data, { DATABASE_URL: url });
    rmSync(join(data, "installation.json"));
    expectRefused(await serve(data, { DATABASE_URL: other.url }), 2, "is new and empty");
    expect(await other.sql`select * from installation`).toHaveLength(0);
    expect(storedFiles(data)).toEqual(files);
    expect(existsSync(join(data, "installation.json"))).toBe(false);
  });

  test("of a database that has one is refused until the command says that they belong together", async () => {
    const { url } = await newDatabase();
    const settings = { DATABASE_URL: url };
    const data = directory.join("restored");
    mkdirSync(data);
    await fill(data, settings);
    const path = join(data, "installation.json");
    const before = readFileSync(path, "utf8");
    rmSync(path);
    expectRefused(await serve(data, settings), 2, "to none", "adopt-directory");
    writeFileSync(path, "not JSON");
    expectRefused(await serve(data, settings), 2, "does not name an installation");
    const show = await runStithy(["admin", "adopt-directory", "--data", data], { env: settings });
    expect(show).toMatchObject({ code: 0, stdout: expect.stringContaining("1 of 1 are in") });
    expect(readFileSync(path, "utf8")).toBe("not JSON");
    await runStithy(["admin", "adopt-directory", "--data", data, "--yes"], { env: settings });
    expect(readFileSync(path, "utf8")).toBe(before);
    await expectWhole(data, settings);
    // A crash came between the row and the file.
    const pending = JSON.stringify({ ...(JSON.parse(before) as object), pending: true });
    writeFileSync(path, pending);
    await expectWhole(data, settings);
    expect(readFileSync(path, "utf8")).toBe(before);
    await using server = await ServerProcess.start(data, settings);
    const run = await runStithy(["admin", "adopt-directory", "--data", data, "--yes"], { env: settings });
    expectRefused(run, 3, "stop it first");
    expect(await server.health()).toBe(200);
  });
});

test("an ephemeral server has an installation of its own", async () => {
  await using server = new StithyProcess(["serve", "--ephemeral", "--port", "0"]);
  const { data } = await server.ready<{ data: string }>();
  expect(JSON.parse(readFileSync(join(data, "installation.json"), "utf8"))).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: expect.stringContaining(data),
  });
  expect(await server.stop()).toBe(0);
});
