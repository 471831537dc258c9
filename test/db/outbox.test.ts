import { expect, test } from "bun:test";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import type { Event } from "../../src/domain/spine/events.ts";
import { isOutboxTaken, removeTakenOutboxRows, takeOutbox } from "../../src/domain/server/outbox/take-outbox.ts";
import type { Receiver } from "../../src/domain/server/outbox/receivers.ts";
import type { Work } from "../../src/domain/spine/work.ts";
import { useTestApp } from "../support/test-app.ts";

/** What happened reaches every receiver: all of it, once, and what belongs to one repository in its order. */

const app = await useTestApp({ database: { connections: 10 } });
const { change, database } = app.forge;
const { db, sql } = database;
const doer = serverDoer("test");

const told = (name: string): Event => ({
  kind: "repository.deleted",
  last: null,
  repository: { id: 1, name, private: false, owner: { id: 1, name: "alice" } },
});

/** A receiver that remembers the names of the repositories that it was told of, and takes so many rows at once. */
function receiver(name: string, most = Infinity): Receiver & { names: string[] } {
  const names: string[] = [];
  return {
    name,
    names,
    hears: [],
    async take(_, events) {
      const some = events.slice(0, most);
      names.push(...some.flatMap(({ event }) => ("repository" in event ? (event.repository?.name ?? []) : [])));
      return some.length;
    },
  };
}

const tell = (...names: string[]) => change(doer, async (work) => names.forEach((name) => work.tell(told(name))));
const take = (from: Receiver, limit?: number) => change(doer, (work) => takeOutbox(work, from, limit));
const clean = (list: readonly Receiver[]) => change(doer, (work) => removeTakenOutboxRows(work, list));
const rows = async () => Number((await sql`select count(*) as n from outbox`)[0]?.["n"]);

/** Tells something in a transaction that stays open until it is let go. */
async function tellLater(name: string): Promise<() => Promise<void>> {
  const written = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const done = sql.begin(async (tx) => {
    const { kind, ...fields } = told(name);
    await tx`insert into outbox (doer, kind, payload) values ('{"kind": "nobody"}', ${kind}, ${JSON.stringify(fields)}::jsonb)`;
    written.resolve();
    await release.promise;
  });
  await written.promise;
  return async () => {
    release.resolve();
    await done;
  };
}

test("a failed change tells nothing", async () => {
  const failing = change(doer, async (work: Work) => {
    work.tell(told("never"));
    throw new Error("it failed");
  });
  await expect(failing).rejects.toThrow("it failed");
  expect(await rows()).toBe(0);
});

test("receivers take what was told since they are there, each at its own pace, and nothing of a transaction is missed that commits later", async () => {
  await tell("before");
  const [quick, slow] = [receiver("quick"), receiver("slow")];
  await take(quick);
  await take(slow);
  expect([quick.names, slow.names]).toEqual([[], []]);

  const commitLate = await tellLater("late");
  await tell("one", "two");
  expect(await isOutboxTaken(db, [quick])).toBe(false);
  await take(quick);
  expect(quick.names).toEqual(["one", "two"]);
  expect(await isOutboxTaken(db, [quick])).toBe(true);
  // Its id is lower than those that were taken.
  await commitLate();
  expect(await isOutboxTaken(db, [quick])).toBe(false);
  await tell("three");
  await take(quick);
  expect(quick.names).toEqual(["one", "two", "late", "three"]);
  expect(await take(quick)).toEqual({ taken: 0, isMore: false, unread: [] });

  // In parts, while more is told.
  await take(slow, 2);
  expect(slow.names).toEqual(["late", "one"]);
  await tell("four");
  while (!(await isOutboxTaken(db, [slow]))) {
    await take(slow, 2);
  }
  expect(slow.names).toEqual(["late", "one", "two", "three", "four"]);
});

test("a receiver that takes fewer rows than it was given gets the others next, each once", async () => {
  const sparing = receiver("sparing", 2);
  await take(sparing);
  await tell("one", "two", "three", "four", "five");
  const parts = [];
  for (let isMore = true; isMore;) {
    const part = await take(sparing);
    parts.push(part.taken);
    isMore = part.isMore;
  }
  expect([parts, sparing.names]).toEqual([
    [2, 2, 1],
    ["one", "two", "three", "four", "five"],
  ]);
  expect(await isOutboxTaken(db, [sparing])).toBe(true);
});

test("a row that this version cannot read is left out and named, and holds nothing up", async () => {
  const reading = receiver("reading");
  await take(reading);
  await tell("before");
  const insert = (kind: string, payload: object) => sql`insert into outbox (doer, kind, payload)
    values ('{"kind": "nobody"}', ${kind}, ${JSON.stringify(payload)}::jsonb)`;
  await insert("star.added", { user: { id: 1, name: "alice" } });
  await insert("repository.deleted", { repository: { id: 1, name: "without owner" }, last: null });
  await tell("after");
  expect(await take(reading)).toEqual({
    taken: 4,
    isMore: false,
    unread: [
      { id: expect.any(Number), kind: "star.added" },
      { id: expect.any(Number), kind: "repository.deleted" },
    ],
  });
  expect(reading.names).toEqual(["before", "after"]);
  // In parts: it is named with the part that it is in.
  const frugal = receiver("frugal", 1);
  await take(frugal);
  await insert("star.added", {});
  await tell("one");
  await insert("star.removed", {});
  await tell("two");
  const parts = [await take(frugal), await take(frugal)];
  expect(parts.map(({ taken, isMore, unread }) => [taken, isMore, unread.map(({ kind }) => kind)])).toEqual([
    [3, true, ["star.added", "star.removed"]],
    [1, false, []],
  ]);
  expect(frugal.names).toEqual(["one", "two"]);
  expect(await isOutboxTaken(db, [frugal])).toBe(true);
});

test("rows go when all receivers took them, and after seven days at the latest", async () => {
  await sql`delete from outbox`;
  const [quick, slow] = [receiver("quick"), receiver("slow")];
  await take(quick);
  await take(slow);
  await tell("five", "six");
  await take(quick);
  expect(await clean([quick, slow])).toBe(0);
  await take(slow, 1);
  expect(await clean([quick, slow])).toBe(1);
  await sql`update outbox set at = now() - interval '8 days'`;
  expect(await clean([quick, slow])).toBe(1);
  await tell("seven");
  // A receiver that there is no more holds nothing up.
  await take(quick);
  expect(await clean([quick])).toBe(1);
  expect([...(await sql`select name from outbox_receiver`)].map(({ name }) => name)).toEqual(["quick"]);
  await tell("eight");
  expect(await clean([])).toBe(1);
});

test("a receiver that fails has taken nothing", async () => {
  const failing = receiver("failing");
  await take(failing);
  await tell("nine");
  await expect(
    take({
      name: "failing",
      hears: [],
      take: async () => {
        throw new Error("it failed");
      },
    }),
  ).rejects.toThrow("it failed");
  await take(failing);
  expect(failing.names).toEqual(["nine"]);
});

test("rows and places of another cluster, whose transactions have not been here yet, are taken", async () => {
  const restored = receiver("restored");
  await take(restored);
  await tell("ten");
  await sql`update outbox set transaction = '900000000000' where payload->'repository'->>'name' = 'ten'`;
  await sql`update outbox_receiver set taken = '800000000000:800000000000:' where name = 'restored'`;
  await take(restored);
  expect(restored.names).toEqual([]);
  await clean([restored]);
  await take(restored);
  expect(restored.names).toEqual(["ten"]);
});
