import { expect, test } from "bun:test";
import { JoinedWork } from "./joined-work.ts";

/** Work that ends when the test says so. */
function pausedWork() {
  const begun: { signal: AbortSignal; end: (answer: string) => void; fail: (error: Error) => void }[] = [];
  const work = (signal: AbortSignal): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    signal.addEventListener("abort", () => reject(signal.reason));
    begun.push({ signal, end: resolve, fail: reject });
    return promise;
  };
  return { begun, work };
}

test("callers of running work share it, and later callers begin it again", async () => {
  const joined = new JoinedWork<string>();
  const { begun, work } = pausedWork();
  const asked = [joined.do("a", work), joined.do("a", work), joined.do("b", work)];
  expect(begun).toHaveLength(2);
  begun[0]!.end("one");
  begun[1]!.end("two");
  expect(await Promise.all(asked)).toEqual(["one", "one", "two"]);
  const again = joined.do("a", work);
  begun[2]!.end("three");
  expect(await again).toBe("three");
});

test("a failure is told to all callers that share the work, and to no later one", async () => {
  const joined = new JoinedWork<string>();
  const fail = () => joined.do("key", async () => Promise.reject(new Error("gone")));
  const both = await Promise.allSettled([fail(), fail()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await joined.do("key", async () => "there")).toBe("there");
});

test("a caller that gives up takes nothing from the others, and the last one ends the work", async () => {
  const joined = new JoinedWork<string>();
  const { begun, work } = pausedWork();
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = [joined.do("a", work, first.signal), joined.do("a", work, second.signal)];
  first.abort(new Error("gone"));
  expect((await Promise.allSettled(asked.slice(0, 1)))[0]).toMatchObject({ reason: { message: "gone" } });
  expect(begun[0]!.signal.aborted).toBe(false);
  second.abort(new Error("gone, too"));
  expect((await Promise.allSettled(asked))[1]).toMatchObject({ reason: { message: "gone, too" } });
  expect(begun[0]!.signal.aborted).toBe(true);
  const later = joined.do("a", work);
  begun[1]!.end("anew");
  expect(await later).toBe("anew");
});

test("a caller without a signal keeps the work when the others give up", async () => {
  const joined = new JoinedWork<string>();
  const { begun, work } = pausedWork();
  const leaving = new AbortController();
  const asked = [joined.do("a", work), joined.do("a", work, leaving.signal)];
  leaving.abort(new Error("gone"));
  expect((await Promise.allSettled(asked.slice(1)))[0]).toMatchObject({ reason: { message: "gone" } });
  expect(begun[0]!.signal.aborted).toBe(false);
  begun[0]!.end("one");
  expect(await asked[0]).toBe("one");
});

test("a caller that has given up before begins nothing", async () => {
  const joined = new JoinedWork<string>();
  const { begun, work } = pausedWork();
  const gone = AbortSignal.abort(new Error("gone"));
  expect((await Promise.allSettled([joined.do("a", work, gone)]))[0]).toMatchObject({ reason: { message: "gone" } });
  expect(begun).toHaveLength(0);
});
