import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { appendFileSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { Scratch, mustGit } from "../support/git.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";

/** The server on a PostgreSQL that it did not start: version 15, the oldest that is supported, as Debian has it. */

const programs = "/usr/lib/postgresql/15/bin";
const isInstalled = existsSync(join(programs, "postgres"));
if (!isInstalled) {
  console.log(`LEFT OUT: PostgreSQL 15 as an outside database, because it is not installed in ${programs}`);
}

/** PostgreSQL refuses root: this is the user that Debian's package makes. */
const isRoot = process.geteuid?.() === 0;
const account = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};

function idOf(option: string): number {
  return Number(spawnSync("id", [option, "postgres"], { encoding: "utf8" }).stdout);
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, stdout } = spawnSync(join(programs, program), args, {
    ...account,
    cwd: "/",
    encoding: "utf8",
    env: { LC_ALL: "C" },
  });
  if (status !== 0) {
    throw new Error(`${program} failed: ${stderr}${stdout}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

describe.if(isInstalled)("a server on an outside PostgreSQL 15", () => {
  const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
  const scratch = new Scratch();
  const cluster = directory.join("cluster");
  const sockets = directory.join("sockets");
  let port = 0;

  beforeAll(async () => {
    for (const path of [cluster, sockets]) {
      mkdirSync(path, { mode: path === cluster ? 0o700 : 0o755 });
      if (account.uid !== undefined && account.gid !== undefined) {
        chownSync(path, account.uid, account.gid);
      }
    }
    port = await freePort();
    run("initdb", "--pgdata", cluster, "--username", "owner", "--auth", "trust", "--no-sync", "--encoding", "UTF8");
    writeFileSync(join(cluster, "pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    appendFileSync(
      join(cluster, "postgresql.conf"),
      `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${sockets}'\nfsync = off\n`,
    );
    run("pg_ctl", "--pgdata", cluster, "--log", join(cluster, "log"), "--wait", "start");
    const sql = "create role stithy login password 's3 cret/@:'";
    run("psql", "-h", sockets, "-p", String(port), "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql);
    for (const name of ["by_socket", "by_tcp"]) {
      run("createdb", "-h", sockets, "-p", String(port), "-U", "owner", "-O", "stithy", name);
    }
    await mustGit(scratch.path, ["init", "-q", "-b", "main", "work"]);
    await mustGit(scratch.join("work"), ["commit", "-q", "--allow-empty", "-m", "first"]);
  });

  afterAll(() => {
    run("pg_ctl", "--pgdata", cluster, "--mode", "immediate", "stop");
    directory[Symbol.dispose]();
    scratch[Symbol.dispose]();
  });

  const urls = {
    "a unix socket": () => `postgres://stithy@/by_socket?host=${sockets}&port=${port}`,
    "TCP with a password": () => `postgres://stithy:${encodeURIComponent("s3 cret/@:")}@127.0.0.1:${port}/by_tcp`,
  };

  test.each(Object.entries(urls))(
    "over %s: starts, migrates, takes a push, gives it back, and again after a restart",
    async (_, url) => {
      using data = new OpenDirectory(quickDirectory("stithy-e2e-"));
      const settings = { DATABASE_URL: url() };
      const head = await mustGit(scratch.join("work"), ["rev-parse", "main"]);
      {
        await using server = await ServerProcess.start(data.path, settings);
        expect(await server.health()).toBe(200);
        await mustGit(scratch.join("work"), ["push", "-q", await server.repository("site"), "main"]);
        expect(await server.process.stop()).toBe(0);
      }
      expect(existsSync(data.join("postgres"))).toBe(false);
      await using server = await ServerProcess.start(data.path, settings);
      const clone = scratch.join(`clone-${Bun.hash(url())}`);
      expect(await checkedRefs(server.repositoryUrl("site"), clone)).toEqual([`${head} refs/heads/main`]);
      const { status, body } = await server.api.get("/repos/root/site");
      expect({ status, body }).toMatchObject({ status: 200, body: { default_branch: "main", empty: false } });
    },
  );

  test("whose database has another encoding than UTF-8: an end with the statement that makes a right one", async () => {
    const ascii = ["--encoding", "SQL_ASCII", "--locale", "C", "--template", "template0", "ascii"];
    run("createdb", "-h", sockets, "-p", String(port), "-U", "owner", "-O", "stithy", ...ascii);
    using data = new OpenDirectory(quickDirectory("stithy-e2e-"));
    const { code, stderr } = await runStithy(["serve", "--data", data.path, "--port", "0"], {
      env: { DATABASE_URL: `postgres://stithy@/ascii?host=${sockets}&port=${port}` },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("The database has the encoding SQL_ASCII, and Stithy needs UTF8");
    expect(stderr).toContain("CREATE DATABASE stithy ENCODING 'UTF8' TEMPLATE template0");
  });

  test("that refuses the password: an end with the reason and without the password", async () => {
    using data = new OpenDirectory(quickDirectory("stithy-e2e-"));
    const refused = await ServerProcess.start(data.path, {
      DATABASE_URL: `postgres://stithy:wrong-one@127.0.0.1:${port}/by_tcp`,
    }).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(refused).toContain("password authentication failed");
    expect(refused).not.toContain("wrong-one");
  });
});
