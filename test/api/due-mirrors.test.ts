import { expect, test } from "bun:test";
import { findDuePullMirrors, findDuePushMirrors } from "../../src/domain/exchange/mirrors/due-queries.ts";
import { requestDueSyncs } from "../../src/domain/exchange/mirrors/request-sync.ts";
import { countUnderWay } from "../../src/queue/queries.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Which mirrors come into the queue when more are due than can be synchronized soon. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const { sql, db } = app.forge.database;

/** Makes a repository that is, on paper, a mirror which has been due for so many minutes. */
async function makeDue(user: typeof alice, name: string, minutes: number): Promise<number> {
  const { id } = await app.repository(user, name);
  await sql`insert into pull_mirror (repository_id, address, interval_seconds, prune, lfs, wiki, next_at)
    values (${id}, 'http://127.0.0.1:1/x.git', 600, true, false, false, now() - make_interval(mins => ${minutes}))`;
  await sql`insert into push_mirror (repository_id, name, address, interval_seconds, sync_on_commit, branch_filter, next_at)
    values (${id}, ${`m-${name}`}, 'http://127.0.0.1:1/x.git', 600, false, '', now() - make_interval(mins => ${minutes}))`;
  return id;
}

test("who has many mirrors that are due makes nobody else's wait, and has a bounded number in the queue", async () => {
  const ofAlice: number[] = [];
  for (let at = 0; at < 6; at++) {
    ofAlice.push(await makeDue(alice, `a${at}`, 60 - at));
  }
  const ofBob = [await makeDue(bob, "b0", 5), await makeDue(bob, "b1", 4)];
  await makeDue(bob, "later", -5);
  const [{ ownerId: aliceId } = { ownerId: 0 }] = await sql<{ ownerId: number }[]>`
    select owner_id::int as "ownerId" from repository where id = ${ofAlice[0]!}`;
  const ids = (due: { id: number }[]) => due.map(({ id }) => id);
  const none = new Map<number, number>();
  // Each owner's longest due first, by turns.
  expect(ids(await findDuePullMirrors(db, new Date(), { mostAtOnce: 100, mostOfOwner: 4, underWay: none }))).toEqual([
    ofAlice[0]!,
    ofBob[0]!,
    ofAlice[1]!,
    ofBob[1]!,
    ofAlice[2]!,
    ofAlice[3]!,
  ]);
  const busy = new Map([[aliceId, 3]]);
  const bounds = { mostAtOnce: 100, mostOfOwner: 4, underWay: busy };
  expect(ids(await findDuePullMirrors(db, new Date(), bounds))).toEqual([ofAlice[0]!, ofBob[0]!, ofBob[1]!]);
  const few = await findDuePushMirrors(db, new Date(), { ...bounds, mostAtOnce: 2 });
  expect(few.map(({ ownerId }) => ownerId)).toEqual([aliceId, few[1]!.ownerId]);
  expect(new Set(few.map(({ ownerId }) => ownerId)).size).toBe(2);

  // All of them are few enough for the queue. Until they have been tried, they are not due again.
  expect(await requestDueSyncs(app.forge)).toBe(16);
  expect([...(await countUnderWay(db, "pull-mirror")).keys()].length).toBeLessThanOrEqual(2);
  const tried = () =>
    sql<
      { id: number }[]
    >`select repository_id::int as id from pull_mirror where last_error <> '' order by repository_id`;
  await until("all have been tried", async () => (await tried()).length === 8);
  expect((await tried()).map(({ id }) => id)).toEqual([...ofAlice, ...ofBob]);
});
