import { expect, test } from "bun:test";
import type { DueHook } from "../domain/exchange/hooks/sending-queries.ts";
import { HookPlaces } from "./hook-places.ts";

const hook = (id: number, ownerId: number, { host = `h${id}`, failing = false } = {}): DueHook => ({
  id,
  ownerId,
  url: `http://${host}/`,
  failing,
});
const many = (from: number, count: number, ownerId: number) =>
  Array.from({ length: count }, (_, at) => hook(from + at, ownerId));
/** Takes what there is room for; answers the places by the ids of hooks. */
function fill(places: HookPlaces, due: readonly DueHook[]): Map<number, Disposable> {
  const taken = new Map<number, Disposable>();
  for (const one of places.inTurn(due.filter(({ id }) => !places.busy.includes(id)))) {
    const place = places.tryTake(one);
    if (place !== null) {
      taken.set(one.id, place);
    }
  }
  return taken;
}

test("an owner with many due hooks holds half of the places, and others take their turns", () => {
  const places = new HookPlaces(8);
  const ofAnn = many(100, 50, 1);
  const anns = fill(places, ofAnn);
  expect([...anns.keys()]).toEqual([100, 101, 102, 103]);
  const bobs = fill(places, [...ofAnn, ...many(200, 50, 2)]);
  expect([...bobs.keys()]).toEqual([200, 201]);
  const cids = fill(places, [...ofAnn, ...many(200, 50, 2), ...many(300, 50, 3)]);
  expect([...cids.keys()]).toEqual([300]);
  // The last place is for somebody who holds none.
  expect(places.isFull).toBe(false);
  const dans = fill(places, [...ofAnn, ...many(200, 50, 2), ...many(300, 50, 3), hook(400, 4)]);
  expect([[...dans.keys()], places.isFull]).toEqual([[400], true]);
  // Eve holds none: what becomes free is hers, although the others' have been due for longer.
  anns.get(100)?.[Symbol.dispose]();
  const due = [...ofAnn, ...many(200, 50, 2), hook(500, 5)];
  expect([...fill(places, due).keys()]).toEqual([500]);
});

test("among owners who hold as many, whose turn was the longest ago is next", () => {
  const places = new HookPlaces(4);
  const ids: number[] = [];
  let place: Disposable | null = null;
  const due = [...many(100, 9, 1), ...many(200, 9, 2), ...many(300, 9, 3)];
  for (let turn = 0; turn < 6; turn++) {
    place?.[Symbol.dispose]();
    const [next] = places.inTurn(due.filter(({ id }) => !ids.includes(id)));
    place = places.tryTake(next!);
    ids.push(next!.id);
  }
  expect(ids).toEqual([100, 200, 300, 101, 201, 301]);
});

test("a host has a quarter of the places, and hooks that fail have half, behind the others", () => {
  const places = new HookPlaces(8);
  const slow = Array.from({ length: 5 }, (_, at) => hook(at, at, { host: "slow" }));
  expect([...fill(places, slow).keys()]).toEqual([0, 1]);
  const failing = Array.from({ length: 5 }, (_, at) => hook(10 + at, 10 + at, { failing: true }));
  expect([...fill(places, [...failing, hook(20, 20)]).keys()]).toEqual([20, 10, 11, 12, 13]);
});
