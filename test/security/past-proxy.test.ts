import { createServer } from "node:net";
import { afterAll, expect, test } from "bun:test";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Who sets a proxy means it for all: no mirror and no migration goes past it, unless a setting allows that. */

let connections = 0;
const elsewhere = createServer((socket) => {
  connections++;
  socket.on("error", () => {});
  socket.destroy();
});
const listening = Promise.withResolvers<void>();
elsewhere.listen(0, "127.0.0.1", listening.resolve);
await listening.promise;
afterAll(() => elsewhere.close());
const { port } = elsewhere.address() as { port: number };
const addresses = [`git://127.0.0.1:${port}/x.git`, `ssh://git@127.0.0.1:${port}/x.git`];

interface Failure {
  message: string;
}

function startApp(bypass: boolean): Promise<TestApp> {
  return TestApp.start({
    outbound: {
      allowed_networks: ["127.0.0.0/8"],
      proxy: "http://127.0.0.1:1",
      bypass_proxy_for_ssh_and_git: bypass,
    },
  });
}

test("with a proxy, ssh:// and git:// are refused, and nobody is called", async () => {
  await using app = await startApp(false);
  const alice = await app.user("alice");
  for (const clone_addr of addresses) {
    const { status, body } = await alice.api.post<Failure>("/repos/migrate", { clone_addr, repo_name: "never" });
    expect([status, body.message]).toEqual([422, expect.stringContaining("outbound.bypass_proxy_for_ssh_and_git")]);
  }
  const { id } = await app.repository(alice, "mine");
  const mirror = { remote_address: addresses[1], use_ssh: true, interval: "0" };
  const refused = await alice.api.post<Failure>("/repos/alice/mine/push_mirrors", mirror);
  expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("through a proxy")]);
  // A mirror from before the proxy was set.
  const { sql } = app.forge.database;
  await sql`insert into push_mirror (repository_id, name, address, interval_seconds, sync_on_commit, branch_filter)
    values (${id}, 'old', ${addresses[1]!}, 0, false, '')`;
  expect((await alice.api.post("/repos/alice/mine/push_mirrors-sync")).status).toBe(200);
  await until("it was tried", async () => {
    const { body } = await alice.api.get<{ last_error: string }[]>("/repos/alice/mine/push_mirrors");
    return body[0]?.last_error.includes("outbound.bypass_proxy_for_ssh_and_git") === true;
  });
  expect(connections).toBe(0);
});

test("the setting allows them", async () => {
  await using app = await startApp(true);
  const alice = await app.user("alice");
  for (const clone_addr of addresses) {
    const before = connections;
    const { status, body } = await alice.api.post<Failure>("/repos/migrate", { clone_addr, repo_name: "never" });
    // Nothing answers there.
    expect([status, body.message]).toEqual([422, expect.not.stringContaining("proxy")]);
    await until("it was called", () => connections === before + 1);
  }
});
