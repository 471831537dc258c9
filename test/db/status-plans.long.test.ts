import { expect, test } from "bun:test";
import type { Reader } from "../../src/db/client.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { insertStatus, listLatestStatuses, listStatuses } from "../../src/domain/repos/statuses/queries.ts";
import { planOf } from "../support/plan-of.ts";
import { useTestApp } from "../support/test-app.ts";

/** What is read of a commit's statuses does not grow with their number: the rows that the database reads are counted. */

const app = await useTestApp({ database: { connections: 1 } });
const { sql, db } = app.forge.database;
const alice = await app.user("alice");
const repositoryId = (await app.repository(alice, "built")).id;
const viewer = { actor: null, credential: { kind: "none" } } as const;
const few = { repositoryId, oid: "aa".repeat(20) };
const many = { repositoryId, oid: "bb".repeat(20) };
const contexts = 10;
const states = ["pending", "success"] as const;

/** Adds statuses as clients do, so that the tables have what updates leave behind. */
async function fill(target: typeof few, count: number): Promise<void> {
  for (let first = 1; first <= count; first += 20) {
    await app.forge.change(serverDoer("test"), async ({ tx }) => {
      for (let index = first; index < first + 20; index++) {
        const state = states[index % 2] ?? "success";
        const context = `c${index % contexts}`;
        const status = { context, state, description: "", targetUrl: "", creatorId: alice.id };
        await insertStatus(tx, target, index, status);
      }
    });
  }
}

await fill(few, 20);
await fill(many, 10_000);
// Tables that are small are read whole, whatever indexes they have.
const others = sql`select ${repositoryId}::bigint, sha256(n::text::bytea), 'c', 1, 'success', 1 from generate_series(1, 20000) n`;
await sql`insert into latest_commit_status (repository_id, oid, context, index, state, count) ${others}`;
await sql`insert into commit_status_total (repository_id, oid, state, count)
  select repository_id, oid, state, count from latest_commit_status on conflict do nothing`;
await sql`analyze commit_status, latest_commit_status, commit_status_total`;

type Run = (target: typeof few) => (db: Reader) => Promise<unknown>;

const runs: [string, Run][] = [
  ["the combined status", (target) => (from) => listLatestStatuses(from, viewer, target, { size: 30, offset: 0 })],
  [
    "the newest statuses",
    (target) => (from) =>
      listStatuses(from, viewer, target, { state: null, oldestFirst: false }, { size: 10, offset: 0 }),
  ],
  [
    "the last page",
    (target) => (from) => {
      const offset = target === few ? 10 : 9990;
      return listStatuses(from, viewer, target, { state: null, oldestFirst: false }, { size: 10, offset });
    },
  ],
  [
    "the newest of a state",
    (target) => (from) =>
      listStatuses(from, viewer, target, { state: "pending", oldestFirst: false }, { size: 10, offset: 0 }),
  ],
];

test.each(runs)("%s of a commit with 10,000 reads as much as that of one with 20", async (_, run) => {
  const small = await planOf(sql, db, run(few));
  const large = await planOf(sql, db, run(many));
  expect(large.statements).toBe(2);
  expect(large.scans.filter((scan) => scan.startsWith("Seq Scan") && !scan.endsWith(" owner"))).toEqual([]);
  expect(large.rows).toBeLessThanOrEqual(small.rows + 1);
  expect(large.pages).toBeLessThanOrEqual(small.pages + 40);
});
