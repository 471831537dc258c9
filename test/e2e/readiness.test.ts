import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { openDatabase } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { createTestDatabase } from "../support/cluster.ts";
import { lockTable } from "../support/lock-table.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, StithyProcess } from "../support/stithy.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
afterAll(() => directory[Symbol.dispose]());

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

test("the health check fails until the first administrator and the file with the password are there", async () => {
  await using created = await createTestDatabase();
  await using database = openDatabase({
    target: parseConnectionUrl(created.url),
    connections: 1,
    statementTimeoutMs: 0,
  });
  const [data, port] = [directory.join("data"), await freePort()];
  const url = `http://127.0.0.1:${port}/api/healthz`;
  const locked = await lockTable(database, "owner");
  await using server = new StithyProcess(["serve", "--data", data, "--port", String(port), "--ssh-port", "0"], {
    env: { DATABASE_URL: created.url },
  });
  await until("the server listens", async () => (await fetch(url).catch(() => null)) !== null, 60_000);
  const early = await fetch(url);
  expect([early.status, await early.json()]).toEqual([
    503,
    {
      status: "fail",
      checks: { start: { status: "fail", output: "The server starts: it waits for the first administrator" } },
    },
  ]);
  expect(existsSync(directory.join("data", "first-password"))).toBe(false);
  await locked[Symbol.asyncDispose]();
  await until("the server is well", async () => (await fetch(url)).status === 200, 60_000);
  expect(statSync(directory.join("data", "first-password")).size).toBeGreaterThan(10);
  expect(await server.stop()).toBe(0);
});
