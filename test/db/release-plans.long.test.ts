import { expect, test } from "bun:test";
import type { Reader } from "../../src/db/client.ts";
import { pageOfReleases } from "../../src/domain/repos/releases/queries.ts";
import { useTestApp } from "../support/test-app.ts";
import { planOf } from "../support/plan-of.ts";
import { vacuumWhole } from "../support/vacuum.ts";

/** A search in the releases of a repository reads what it finds, and not all that there are. */

const app = await useTestApp({ database: { connections: 1 } });
const { sql, db } = app.forge.database;
const alice = await app.user("alice");
const viewer = { actor: null, credential: { kind: "none" } } as const;
const few = (await app.repository(alice, "few")).id;
const many = (await app.repository(alice, "many")).id;
const others = (await app.repository(alice, "others")).id;
const page = { size: 30, offset: 0 };

/** Every three hundredth has a tag, a title or a word of its own; their texts are of the length of release notes. */
async function fill(repositoryId: number, count: number): Promise<void> {
  await sql`insert into release (repository_id, tag_name, title, body, target, draft, prerelease, hide_archive_links, published_at)
    select ${repositoryId}, 'v' || n || case n % 300 when 1 then '-needle' else '' end, case n % 300 when 2 then 'The PIN release' else 'Fixes' end,
      case n % 300 when 3 then 'A haystack. ' else '' end || (select string_agg('word' || (n * 7 + m) % 900, ' ') from generate_series(1, 200) m),
      '', n % 50 = 0, n % 10 = 0, false, now() - n * interval '1 minute' from generate_series(1, ${count}) n`;
}

await fill(few, 20);
await fill(many, 3000);
await fill(others, 1000);
await vacuumWhole(sql, "release");

const search = (repositoryId: number, text: string) => (from: Reader) =>
  pageOfReleases(from, viewer, repositoryId, { showsDrafts: false, search: text }, page);

test.each([
  ["a part of a tag", "NEEDL", 10],
  ["a part of a title", "pin rel", 10],
  ["a word of the text", "Haystack", 10],
  ["the beginning of one", "hayst", 10],
  ["nothing that there is", "nothing-of-the-kind", 0],
])("%s", async (_, text, found) => {
  expect((await search(many, text)(db)).total).toBe(found);
  const small = await planOf(sql, db, search(few, text));
  const large = await planOf(sql, db, search(many, text));
  expect(large.scans.filter((scan) => scan.startsWith("Seq Scan") && !scan.endsWith(" owner"))).toEqual([]);
  expect(large.rows).toBeLessThanOrEqual(small.rows + 12 * found);
  expect(large.pages).toBeLessThanOrEqual(small.pages + 100 + 20 * found);
});

test("the list without a search counts without reading the releases", async () => {
  const large = await planOf(sql, db, (from) => pageOfReleases(from, viewer, many, { showsDrafts: false }, page));
  expect(large.scans).toContain("Index Only Scan release");
  expect(large.pages).toBeLessThanOrEqual(300);
});
