import { expect, test } from "bun:test";
import { FairShare, Busy } from "../../lib/fair-share.ts";
import { EngineTimeout } from "../job/errors.ts";
import { until } from "../../../test/support/until.ts";
import { inTurn } from "./in-turn.ts";

const limits = { what: "calls", places: 1, placesEach: 1, waiting: 2, waitingEach: 1 };
const turn = { name: "log", principal: "a", timeoutMs: 10_000 };
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test("work waits for a place, and one that fails gives it back", async () => {
  const share = new FairShare(limits);
  const { promise, reject } = Promise.withResolvers<never>();
  const first = failure(inTurn(share, turn, () => promise));
  const second = inTurn(share, { ...turn, principal: "b" }, async () => "done");
  expect([share.held, share.waiting]).toEqual([1, 1]);
  reject(new Error("failed"));
  expect(await first).toEqual(new Error("failed"));
  expect(await second).toBe("done");
  expect([share.held, share.waiting]).toEqual([0, 0]);
});

test("work that does not get a place in time is not begun", async () => {
  const share = new FairShare(limits);
  const { promise, resolve } = Promise.withResolvers<null>();
  const first = inTurn(share, turn, () => promise);
  let begun = false;
  const late = await failure(inTurn(share, { ...turn, principal: "b", timeoutMs: 10 }, async () => (begun = true)));
  expect(late).toBeInstanceOf(EngineTimeout);
  resolve(null);
  await first;
  expect([begun, share.held, share.waiting]).toEqual([false, 0, 0]);
});

test("work that has waited has only the rest of its time", async () => {
  const share = new FairShare(limits);
  const place = share.tryTake("a");
  const left = inTurn(share, { ...turn, principal: "b", timeoutMs: 10_000 }, async (timeoutMs) => timeoutMs);
  const began = performance.now();
  await until("time has passed", () => performance.now() - began > 20);
  place?.[Symbol.dispose]();
  expect(await left).toBeLessThan(9990);
});

test("work that cannot even wait is refused, and says whose share is full", async () => {
  const share = new FairShare(limits);
  using _place = share.tryTake("a");
  const abort = new AbortController();
  const waiting = ["a", "b"].map((principal) =>
    failure(inTurn(share, { ...turn, principal, signal: abort.signal }, async () => null)),
  );
  expect(await failure(inTurn(share, turn, async () => null))).toMatchObject({ code: "share-full", whose: "own" });
  const other = await failure(inTurn(share, { ...turn, principal: "c" }, async () => null));
  expect(other).toBeInstanceOf(Busy);
  expect(other).toMatchObject({ code: "server-busy", whose: "server" });
  abort.abort(new Error("gone"));
  expect(await Promise.all(waiting)).toEqual([new Error("gone"), new Error("gone")]);
});
