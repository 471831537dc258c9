import { expect, test } from "bun:test";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { quickFolder } from "../../src/lib/quick-folder.ts";
import { StithyProcess, runStithy } from "../support/stithy.ts";
import { until } from "../support/until.ts";

/** Whoever names another temporary folder has all of a server there; `ephemeral.test.ts` does. */
const env = { TMPDIR: "/tmp" };

/** The directory of a new server, and the one in memory that its database is in. */
async function start(): Promise<{ server: StithyProcess; data: string; database: string }> {
  const server = new StithyProcess(["serve", "--ephemeral", "--port", "0"], { env });
  const { data } = await server.ready<{ data: string }>();
  return { server, data, database: realpathSync(join(data, "postgres")) };
}

const isInMemory = quickFolder(env.TMPDIR) === "/dev/shm";
if (!isInMemory) {
  console.log("LEFT OUT: a database in memory: there is no room in /dev/shm");
}

test.if(isInMemory)("the database is in memory where there is room, and goes with its server", async () => {
  const killed = await start();
  const { server, data, database } = await start();
  try {
    expect(dirname(data)).toBe("/tmp");
    expect(dirname(database)).toBe("/dev/shm");
    const users = await runStithy(["admin", "list-users", "--data", data, "--json"], { env });
    expect(JSON.parse(users.stdout)).toMatchObject({ username: "root" });

    const [pid = ""] = readFileSync(join(killed.database, "cluster", "postmaster.pid"), "utf8").split("\n");
    await killed.server.stop("SIGKILL");
    await until("the database of the killed server has ended", () => !existsSync(`/proc/${pid}`));
    const next = await start();
    await until("what the killed server left is gone", () =>
      [killed.data, killed.database].every((path) => !existsSync(path)),
    );
    expect(await next.server.stop()).toBe(0);
    expect([next.data, next.database, data, database].map((path) => existsSync(path))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  } finally {
    await Promise.all([killed.server.stop("SIGKILL"), server.stop()]);
  }
  expect([data, database].map((path) => existsSync(path))).toEqual([false, false]);
});
