import { expect, test } from "bun:test";
import { Slots } from "./slots.ts";

test("who comes later waits until a place is given back, in order", async () => {
  const slots = new Slots(1, 2);
  const signal = new AbortController().signal;
  const order: string[] = [];
  const first = await slots.take(signal);
  const second = slots.take(signal).then((place) => (order.push("second"), place));
  const third = slots.take(signal).then((place) => (order.push("third"), place));
  expect([slots.full, order]).toEqual([2, []]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const place = await second;
  expect([slots.full, order]).toEqual([null, ["second"]]);
  place[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  (await slots.take(signal))[Symbol.dispose]();
});

test("who goes away while waiting takes no place", async () => {
  const slots = new Slots(1, 2);
  const gone = new AbortController();
  const signal = new AbortController().signal;
  const first = await slots.take(signal);
  const leaving = slots.take(gone.signal).catch((error: unknown) => String(error));
  const staying = slots.take(signal);
  gone.abort("left");
  expect(await leaving).toBe("left");
  first[Symbol.dispose]();
  (await staying)[Symbol.dispose]();
  expect(await slots.take(gone.signal).catch((error: unknown) => String(error))).toBe("left");
});
