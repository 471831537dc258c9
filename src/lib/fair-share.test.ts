import { describe, expect, test } from "bun:test";
import { randomFrom } from "../../test/support/random.ts";
import { Busy, FairShare, type ShareLimits } from "./fair-share.ts";

const limits: ShareLimits = { what: "jobs", places: 4, placesEach: 4, waiting: 100, waitingEach: 50 };

const share = (own: Partial<ShareLimits> = {}): FairShare => new FairShare({ ...limits, ...own });

/** Lets everybody go on who can. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Takes places for `name` until there is none; how many there were. */
function takeAll(places: FairShare, name: string): Disposable[] {
  return Array.from({ length: 100 }, () => places.tryTake(name)).filter((place) => place !== null);
}

/** Asks for a place, and writes down who got it. */
function queue(places: FairShare, name: string, began: string[], signal?: AbortSignal): Promise<Disposable> {
  const taken = places.take(name, signal);
  void taken.then(
    () => began.push(name),
    () => {},
  );
  return taken;
}

describe("places", () => {
  test("a principal takes as many as it leaves free", () => {
    const places = share({ places: 64, placesEach: 64 });
    const taken = ["a", "b", "c"].map((name) => takeAll(places, name));
    expect(taken.map((own) => own.length)).toEqual([32, 16, 8]);
    taken[0]?.forEach((place) => place[Symbol.dispose]());
    expect(takeAll(places, "b")).toHaveLength(12);
    expect(takeAll(places, "d")).toHaveLength(14);
  });

  test("a principal takes no more than the limit of each", () => {
    expect(takeAll(share({ places: 64, placesEach: 3 }), "a")).toHaveLength(3);
  });

  test("a single place is for one at a time, and disposing twice gives it back once", () => {
    const places = share({ places: 1 });
    const [only, ...others] = takeAll(places, "a");
    expect([others.length, places.tryTake("b")]).toEqual([0, null]);
    only?.[Symbol.dispose]();
    only?.[Symbol.dispose]();
    expect([takeAll(places, "b").length, places.tryTake("a")]).toEqual([1, null]);
  });
});

describe("waiting", () => {
  test("a wait ends when it has taken too long, and the next one in the queue keeps its turn", async () => {
    const places = share({ places: 1, waitingMs: 20 });
    const place = await places.take("a");
    const late = await Promise.all(["a", "b"].map((name) => places.take(name).catch((error: unknown) => error)));
    expect(late.map((error) => (error instanceof Busy ? error.whose : error))).toEqual(["own", "server"]);
    expect([places.held, places.waiting]).toEqual([1, 0]);
    const next = places.take("b");
    place[Symbol.dispose]();
    await next;
    expect([places.held, places.waiting]).toEqual([1, 0]);
  });

  test("principals are served in turn, each in the order of its arrivals", async () => {
    const places = share({ places: 1 });
    const began: string[] = [];
    const first = await places.take("a");
    const waiting = ["a", "a", "a", "b", "b", "c"].map((name) => queue(places, name, began));
    first[Symbol.dispose]();
    for (const next of waiting) {
      void next.then((place) => setImmediate(() => place[Symbol.dispose]()));
    }
    await Promise.all(waiting);
    await settle();
    expect(began).toEqual(["a", "b", "c", "a", "b", "a"]);
  });

  test("a principal that leaves while it waits takes no place, and hears the reason", async () => {
    const places = share({ places: 1 });
    const gone = new AbortController();
    const first = await places.take("a");
    const leaving = places.take("b", gone.signal).catch((error: unknown) => String(error));
    const staying = places.take("c");
    gone.abort("left");
    expect(await leaving).toBe("left");
    first[Symbol.dispose]();
    (await staying)[Symbol.dispose]();
    expect([places.held, places.waiting]).toEqual([0, 0]);
    expect(await places.take("b", gone.signal).catch((error: unknown) => String(error))).toBe("left");
  });

  test("the refusal says whose share is full", async () => {
    const places = share({ places: 2, waiting: 3, waitingEach: 2 });
    const refusal = (name: string) =>
      places.take(name).then(
        () => null,
        (error: unknown) => (error instanceof Busy ? [error.code, error.whose, error.message] : error),
      );
    await places.take("a");
    void places.take("a");
    void places.take("a");
    expect(await refusal("a")).toEqual([
      "share-full",
      "own",
      "You have too many jobs under way at the same time (3): try again when one of them has ended",
    ]);
    expect(() => places.check("a")).toThrow(Busy);
    expect(() => places.check("b")).not.toThrow();
    await places.take("b");
    void places.take("c");
    expect(await refusal("d")).toEqual([
      "server-busy",
      "server",
      "The server has too many jobs under way (5) and takes no more: try again in a moment",
    ]);
  });
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "whatever happens, the limits hold (seed %d)",
  async (seed) => {
    const random = randomFrom(seed);
    const own: ShareLimits = {
      what: "jobs",
      places: 1 + random.below(8),
      placesEach: 1 + random.below(8),
      waiting: random.below(30),
      waitingEach: 1 + random.below(10),
    };
    const places = new FairShare(own);
    const names = ["a", "b", "c", "d", "e"];
    const held = new Map(names.map((name) => [name, [] as Disposable[]]));
    const waits: { name: string; stop: AbortController; isOver: boolean }[] = [];
    const open = (name?: string) => waits.filter((wait) => !wait.isOver && (name === undefined || wait.name === name));

    for (let step = 0; step < 300; step++) {
      const name = names[random.below(names.length)]!;
      const mine = held.get(name)!;
      const action = random.below(10);
      if (action < 5) {
        const wait = { name, stop: new AbortController(), isOver: false };
        waits.push(wait);
        places.take(name, wait.stop.signal).then(
          (place) => ((wait.isOver = true), mine.push(place)),
          () => (wait.isOver = true),
        );
      } else if (action < 9) {
        mine.shift()?.[Symbol.dispose]();
      } else {
        open()[0]?.stop.abort(new Error("left"));
      }
      await settle();
      const sizes = names.map((each) => held.get(each)!.length);
      const all = sizes.reduce((sum, size) => sum + size, 0);
      expect(places.held).toBe(all);
      expect(places.waiting).toBe(open().length);
      expect(all).toBeLessThanOrEqual(own.places);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(own.placesEach);
      expect(open().length).toBeLessThanOrEqual(own.waiting);
      for (const [index, each] of names.entries()) {
        expect(open(each).length).toBeLessThanOrEqual(own.waitingEach);
        // Nobody who holds nothing waits beside a free place.
        expect(sizes[index] === 0 && open(each).length > 0 && all < own.places).toBe(false);
      }
    }

    // When all give back what they have, everybody who waits is served.
    while (open().length > 0 || places.held > 0) {
      const before = places.held + places.waiting;
      names.forEach((name) => held.get(name)!.shift()?.[Symbol.dispose]());
      await settle();
      expect(places.held + places.waiting).toBeLessThan(before);
    }
  },
);
