import { expect, test } from "bun:test";
import { moveBases } from "../../src/domain/work/pulls/write-queries.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const { db, sql } = app.forge.database;

/** The page of each row, in the order of their ids. */
async function pages(repositoryId: number): Promise<number[]> {
  const rows = await sql<{ page: number }[]>`
    select (ctid::text::point)[0]::int as page from pull where base_repository_id = ${repositoryId} order by issue_id`;
  return rows.map(({ page }) => page);
}

test("when a base moves, the rows of the pull requests for it stay on their pages: no index is written for them", async () => {
  const { id } = await app.repository(alice, "moving");
  await sql`insert into issue (repository_id, number, title, body, author_id, is_pull)
    select ${id}, n, 'Pull ' || n, '', ${alice.id}, true from generate_series(1, 200) n`;
  await sql`insert into pull (issue_id, base_repository_id, base_branch, base_oid, head_repository_id, head_branch, head_oid, mergeability)
    select id, ${id}, 'main', decode(repeat('aa', 20), 'hex'), ${id}, 'head-' || number, decode(repeat('bb', 20), 'hex'), 'mergeable'
    from issue where repository_id = ${id} order by id`;
  const before = await pages(id);
  expect(before).toHaveLength(200);
  expect(new Set(before).size).toBeGreaterThan(2);
  expect(await db.transaction((tx) => moveBases(tx, id, [{ branch: "main", oid: "cc".repeat(20) }]))).toEqual([]);
  expect(await sql`select distinct encode(base_oid, 'hex') as base, mergeability from pull`).toMatchObject([
    { base: "cc".repeat(20), mergeability: "checking" },
  ]);
  expect(await pages(id)).toEqual(before);
});
