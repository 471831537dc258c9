import { expect, test } from "bun:test";
import { prepareFindSubject } from "../../src/auth/find-subject.ts";
import type { Viewer } from "../../src/auth/viewer-of.ts";
import { classesOf } from "../../src/domain/repos/list-classes.ts";
import { repositorySortKeys, type RepositoryFilter, type RepositoryOrder } from "../../src/domain/repos/list-filter.ts";
import { listRepositories } from "../../src/domain/repos/list-queries.ts";
import { fillForLists } from "../../bench/list-cases.ts";
import { useTestApp } from "../support/test-app.ts";
import { vacuumWhole } from "../support/vacuum.ts";

/** What a list reads does not grow with the number of repositories: the rows that the database reads are counted. */

const app = await useTestApp({ database: { connections: 1 } });
const { sql, db } = app.forge.database;
await app.user("alice");
await app.user("nobody");
await fillForLists(sql, 3000);
const [parent] = await sql`select min(id) as id from repository where not private`;
const forkOf = Number(parent?.["id"]);
await sql`update repository set fork_of = ${forkOf} where id in (select id from repository where id <> ${forkOf} order by id desc limit 100)`;
const findSubject = prepareFindSubject(db);

const tables = ["repository", "repository_listing", "repository_size", "repository_count", "owner"];

/** Rows that were read from the large tables while something ran, through indexes or without. */
async function rowsRead(run: () => Promise<unknown>): Promise<{ scanned: number; fetched: number }> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] =
      await sql`select sum(seq_tup_read)::int as scanned, sum(idx_tup_fetch)::int as fetched from pg_stat_user_tables where relname = any(${tables})`;
    return { scanned: Number(row?.["scanned"]), fetched: Number(row?.["fetched"]) };
  };
  const before = await read();
  await run();
  const after = await read();
  return { scanned: after.scanned - before.scanned, fetched: after.fetched - before.fetched };
}

async function viewerNamed(name: string): Promise<Viewer> {
  const [row] = await sql`select id from owner where lower_name = ${name}`;
  const { actor } = await findSubject({ userId: Number(row?.["id"]) }, {});
  return { actor, credential: { kind: "none" } };
}

const alice = await viewerNamed("alice");
const nobody = await viewerNamed("nobody");
const stranger: Viewer = { actor: null, credential: { kind: "none" } };
const orders = repositorySortKeys.map((by, place) => ({ by, descending: place % 2 === 1 }));
const filters: [string, RepositoryFilter][] = [
  ["everything", {}],
  ["archived", { archived: true }],
  ["not private", { private: false }],
  ["forks", { fork: true }],
  ["no forks", { fork: false }],
  ["forks of one", { forkOf }],
  ["an owner's", { ownerId: alice.actor!.id }],
  ["what alice takes part in", { participantId: alice.actor!.id }],
  ["what nobody takes part in", { participantId: nobody.actor!.id }],
  ["starred", { starredBy: alice.actor!.id }],
  ["watched", { watchedBy: alice.actor!.id }],
  ["a word", { keywords: { words: ["needle"], inDescription: true, topicOnly: false } }],
  ["a topic", { keywords: { words: ["needle"], inDescription: false, topicOnly: true } }],
];

test.each(filters)("%s", async (_, filter) => {
  for (const viewer of [alice, stranger]) {
    for (const order of orders as RepositoryOrder[]) {
      const page = { size: 30, offset: 0 };
      // The first times, statements are prepared and statistics read.
      await listRepositories(db, viewer, filter, order, page);
      const read = await rowsRead(() => listRepositories(db, viewer, filter, order, page));
      expect(read.scanned, `rows scanned in the order ${order.by}`).toBe(0);
      // A page with its owners, what alice was given, forty repositories of one owner, the matches of a word.
      expect(read.fetched, `rows fetched in the order ${order.by}`).toBeLessThan(900);
    }
  }
});

test("a deep page reads the index up to it, and no rows", async () => {
  expect(classesOf(stranger, {}).open).toHaveLength(8);
  await vacuumWhole(sql, "repository_listing");
  const read = await rowsRead(() =>
    listRepositories(db, stranger, {}, { by: "name", descending: false }, { size: 30, offset: 2000 }),
  );
  expect(read.scanned).toBe(0);
  expect(read.fetched).toBeLessThan(900);
});
