import { expect, test } from "bun:test";
import { JoinedCalls } from "./joined-calls.ts";
import { actAs } from "./principal.ts";

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

test("who asks for the same while it is worked out gets the same, and who asks later has it worked out again", async () => {
  const calls = new JoinedCalls<string>();
  const { begun, work } = pausedWork();
  const asked = [calls.do("a", undefined, work), calls.do("a", undefined, work), calls.do("b", undefined, work)];
  expect(begun).toHaveLength(2);
  begun[0]!.end("one");
  begun[1]!.end("two");
  expect(await Promise.all(asked)).toEqual(["one", "one", "two"]);
  const again = calls.do("a", undefined, work);
  begun[2]!.end("three");
  expect(await again).toBe("three");
});

test("principals do not wait for each other", async () => {
  const calls = new JoinedCalls<string>();
  const { begun, work } = pausedWork();
  const asked = ["ada", "bob"].map((principal) => actAs(principal, () => calls.do("a", undefined, work)));
  begun[0]!.fail(new Error("too much of ada's is waiting"));
  begun[1]!.end("for bob");
  expect(await Promise.allSettled(asked)).toMatchObject([{ status: "rejected" }, { value: "for bob" }]);
});

test("who gives up takes nothing from the others, and the last one to do so ends the work", async () => {
  const calls = new JoinedCalls<string>();
  const { begun, work } = pausedWork();
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = [calls.do("a", first.signal, work), calls.do("a", second.signal, work)];
  first.abort(new Error("gone"));
  expect((await Promise.allSettled(asked.slice(0, 1)))[0]).toMatchObject({ reason: { message: "gone" } });
  expect(begun[0]!.signal.aborted).toBe(false);
  second.abort(new Error("gone, too"));
  expect((await Promise.allSettled(asked))[1]).toMatchObject({ reason: { message: "gone, too" } });
  expect(begun[0]!.signal.aborted).toBe(true);
  const later = calls.do("a", undefined, work);
  begun[1]!.end("anew");
  expect(await later).toBe("anew");
});

test("who has given up before begins nothing", async () => {
  const calls = new JoinedCalls<string>();
  const { begun, work } = pausedWork();
  const gone = AbortSignal.abort(new Error("gone"));
  expect((await Promise.allSettled([calls.do("a", gone, work)]))[0]).toMatchObject({ reason: { message: "gone" } });
  expect(begun).toHaveLength(0);
});
