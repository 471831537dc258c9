import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** A hundred thousand refs are listed; whoever asks for something else has a turn every few milliseconds. */

const count = 100_000;
const app = await useTestApp({ git: { hidden_refs: ["refs/hidden", "!refs/hidden/shown", "refs/internal"] } });
const alice = await app.user("alice");
const { id } = await app.repository(alice, "many", { auto_init: true, default_branch: "main" });
const { sql } = app.forge.database;
await sql`insert into ref (repository_id, name, oid) select ${id}, 'refs/heads/group/branch-' || lpad(n::text, 7, '0'), (select oid from ref where repository_id = ${id}) from generate_series(2, ${count}) n`;
await sql`insert into ref (repository_id, name, oid) select ${id}, 'refs/hidden/' || n, (select oid from ref where repository_id = ${id} limit 1) from generate_series(1, 100) n`;
// Whoever writes refs raises it: what follows a first commit has read the refs already.
await sql`update repository set generation = generation + 1 where id = ${id}`;

/** Asks from another process, and says how many refs there are, and whether hidden ones are among them. */
const client = `const [url, method, version, body] = process.argv.slice(1);
const response = await fetch(url, { method, headers: { authorization: "Basic " + btoa("alice:${alice.token}"), "git-protocol": version, "content-type": "application/x-git-upload-pack-request" }, ...(body === "" ? {} : { body }) });
const text = await response.text();
console.log(response.status, text.split("refs/heads/group/").length - 1, text.includes("refs/hidden/"));`;

function threadMs(): number {
  const { user, system } = (
    process as unknown as { threadCpuUsage(): { user: number; system: number } }
  ).threadCpuUsage();
  return (user + system) / 1000;
}

/** The processor time that this thread, the server's, took between turns of its loop, where that is worth counting. */
async function turnsDuring(work: Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  const state = { done: false };
  void work.finally(() => (state.done = true));
  for (let last = threadMs(); !state.done;) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = threadMs();
    turns.push(...(now - last > 1 ? [now - last] : []));
    last = now;
  }
  return turns;
}

test.each([
  ["info/refs before a push", "/info/refs?service=git-receive-pack", "GET", "", ""],
  ["info/refs before a fetch", "/info/refs?service=git-upload-pack", "GET", "version=0", ""],
  ["ls-refs", "/git-upload-pack", "POST", "version=2", "0014command=ls-refs\n0001000csymrefs\n0009peel\n0000"],
])("%s", async (_, path, method, version, body) => {
  const ask = async () => {
    const child = Bun.spawn(
      [process.execPath, "-e", client, `${app.url}/alice/many.git${path}`, method, version, body],
      { stdout: "pipe" },
    );
    return new Response(child.stdout).text();
  };
  expect(await ask()).toBe(`200 ${count - 1} false\n`);
  // What else goes on in a process takes its time now and then, but not always.
  const shares: number[] = [];
  for (let round = 0; round < 3; round++) {
    await sql`update repository set generation = generation + 1 where id = ${id}`;
    const turns = await turnsDuring(ask());
    shares.push(Math.max(...turns) / turns.reduce((sum, turn) => sum + turn, 0));
  }
  // Collecting garbage takes longer than a turn now and then, but not each time.
  expect(Math.min(...shares)).toBeLessThan(0.25);
});
