import { afterEach, describe, expect, test } from "bun:test";
import { CorruptPack, PackRejected } from "../../src/git/pack/errors.ts";
import { EngineTimeout, EngineWorkerLost } from "../../src/git/job/errors.ts";
import { StreamBudget } from "../../src/git/workers/stream-budget.ts";
import { WorkerChannel, type CallOptions, type ChannelOptions } from "../../src/git/workers/worker-channel.ts";
import { StithyError } from "../../src/lib/errors.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { until } from "../support/until.ts";

const view = { key: "1:1", format: "sha1" as const, packs: [] };
const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
const open: WorkerChannel[] = [];

function channel(options: Partial<ChannelOptions> = {}): WorkerChannel {
  const url = new URL("./probe-worker.ts", import.meta.url);
  const made = new WorkerChannel({
    url,
    shownBytes: 1_000_000,
    cacheBytes: 0,
    stallMs: 10_000,
    log: silentLogger,
    ...options,
  });
  open.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((made) => made[Symbol.asyncDispose]()));
});

const call = (
  to: WorkerChannel,
  name: string,
  args: unknown = null,
  options: Partial<CallOptions> = {},
): Promise<unknown> => to.call(view, name, args, { principal: "a", timeoutMs: 10_000, blocking: false, ...options });
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

/** A window for a stream of one principal. Throws when it would have to wait for one. */
function feed(from = new StreamBudget(64 * megabyte, megabyte), principal = "a") {
  const window = from.tryOpen(principal);
  if (window === null) {
    throw new Error("There is no place for another stream");
  }
  return { principal, window };
}

/** Shared with the worker: what was produced, how many pieces of work ended, a flag. */
function counters(): {
  args: { counters: SharedArrayBuffer };
  produced: () => number;
  ended: () => number;
  release: () => void;
} {
  const shared = new SharedArrayBuffer(12);
  const values = new Int32Array(shared);
  return {
    args: { counters: shared },
    produced: () => Atomics.load(values, 0),
    ended: () => Atomics.load(values, 1),
    release: () => void Atomics.store(values, 2, 1),
  };
}

/** Each answer comes after a turn of everything that could run: work that is not held up goes far in so many. */
async function manyTurns(of: WorkerChannel): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    await call(of, "echo");
  }
}

describe("a thread that is not always needed", () => {
  test("is ended when it had nothing to do, and starts again", async () => {
    const worker = channel({ idleMs: 20 });
    for (let round = 0; round < 2; round++) {
      expect(await call(worker, "count")).toBe(1);
      await until("it is ended", () => !worker.isRunning);
    }
  });

  test("is not ended while it works, or streams", async () => {
    const worker = channel({ idleMs: 1 });
    const { args, produced } = counters();
    const abort = new AbortController();
    const endless = failure(call(worker, "endless", args, { signal: abort.signal }));
    await until("it has begun", () => produced() > 0);
    expect(await call(worker, "count")).toBe(1);
    const reader = worker.stream(view, "filled", 1, { ...feed(), lend: true }).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read());
    expect(await call(worker, "count")).toBe(2);
    expect(worker.isRunning).toBe(true);
    abort.abort(new Error("enough"));
    expect(await endless).toEqual(new Error("enough"));
    await until("it is ended", () => !worker.isRunning);
  });

  test("stays without a limit", async () => {
    const worker = channel();
    expect(await call(worker, "count")).toBe(1);
    expect(await call(worker, "count")).toBe(2);
  });
});

describe("calls", () => {
  test("bring arguments there, results back and progress in between", async () => {
    const worker = channel();
    expect(await call(worker, "echo", { deep: [1, new Uint8Array([2])] })).toEqual({ deep: [1, new Uint8Array([2])] });
    expect(await call(worker, "bytes")).toEqual(new Uint8Array(100_000).fill(7));
    const told: unknown[] = [];
    expect(await call(worker, "progress", null, { onProgress: (value) => void told.push(value) })).toBe("done");
    expect(told).toEqual(["half"]);
  });

  test("bring errors back with class, code, message and data", async () => {
    const worker = channel();
    const rejected = await failure(call(worker, "rejected"));
    expect(rejected).toBeInstanceOf(PackRejected);
    expect(rejected).toMatchObject({
      code: "pack-rejected",
      message: "Cannot accept the pack",
      reason: "bad-object",
      oid: "ab".repeat(20),
    });
    const corrupt = await failure(call(worker, "corrupt"));
    expect(corrupt).toBeInstanceOf(CorruptPack);
    expect(corrupt).toMatchObject({ path: "/p" });
    const odd = await failure(call(worker, "odd"));
    expect(odd).toBeInstanceOf(StithyError);
    expect(odd).toMatchObject({ code: "odd-code", data: { number: "7" } });
    const bug = await failure(call(worker, "bug"));
    expect(bug).not.toBeInstanceOf(StithyError);
    expect(bug).toMatchObject({ name: "RangeError", message: "not on purpose" });
  });

  test("are not held up by long ones, which end when they are aborted", async () => {
    const worker = channel();
    const { args, ended } = counters();
    const abort = new AbortController();
    const long = [1, 2, 3].map(() => failure(call(worker, "endless", args, { signal: abort.signal })));
    expect(await call(worker, "echo", "quick")).toBe("quick");
    expect(ended()).toBe(0);
    abort.abort(new Error("gone"));
    expect(await Promise.all(long)).toEqual([new Error("gone"), new Error("gone"), new Error("gone")]);
    await until("all three ended", () => ended() === 3);
    expect(worker.load).toBe(0);
  });

  test("reach through shared memory work that does not come back to its message loop", async () => {
    const worker = channel();
    const { args, produced, ended } = counters();
    const abort = new AbortController();
    const long = failure(call(worker, "told", args, { signal: abort.signal, blocking: true }));
    await until("it runs", () => produced() > 0);
    abort.abort(new Error("gone"));
    expect(await long).toEqual(new Error("gone"));
    await until("it was told", () => ended() === 1);
    expect(await call(worker, "echo", 1)).toBe(1);
  });

  test("end when their time is up", async () => {
    const worker = channel();
    const { args, ended } = counters();
    expect(await failure(call(worker, "endless", args, { timeoutMs: 20 }))).toBeInstanceOf(EngineTimeout);
    await until("it ended", () => ended() === 1);
  });
});

describe("a worker that", () => {
  test("ends fails what is under way and starts again", async () => {
    const worker = channel();
    const waiting = failure(call(worker, "endless", counters().args));
    const stream = worker.stream(view, "chunks", counters().args, feed(new StreamBudget(megabyte, megabyte)));
    const crash = await failure(call(worker, "exit"));
    expect(crash).toBeInstanceOf(EngineWorkerLost);
    expect(crash).toMatchObject({ data: { operation: "exit" } });
    expect(await waiting).toBeInstanceOf(EngineWorkerLost);
    expect(await failure(new Response(stream).bytes())).toBeInstanceOf(EngineWorkerLost);
    expect(await call(worker, "echo", "again")).toBe("again");
    expect(worker.load).toBe(0);
  });

  test("does not stop when told to is ended", async () => {
    const worker = channel({ stallMs: 50 });
    const { args, produced } = counters();
    // The worker has started, so that the time is the call's own.
    expect(await call(worker, "echo", "ready")).toBe("ready");
    const stuck = failure(call(worker, "stubborn", args, { timeoutMs: 500 }));
    const behind = failure(call(worker, "echo"));
    expect(await stuck).toBeInstanceOf(EngineTimeout);
    expect(produced()).toBeGreaterThan(0);
    expect(await behind).toBeInstanceOf(EngineWorkerLost);
    expect(await call(worker, "echo", "again")).toBe("again");
  });

  test("answered just before it was told to stop is left alone", async () => {
    const worker = channel({ stallMs: 150 });
    const { args, release } = counters();
    // The worker has started, so that the time is the call's own.
    expect(await call(worker, "echo", "ready")).toBe("ready");
    const abort = new AbortController();
    const late = failure(call(worker, "stubborn", args, { signal: abort.signal }));
    release();
    abort.abort(new Error("gone"));
    expect(await late).toEqual(new Error("gone"));
    const shared = counters();
    const next = call(worker, "endless", shared.args, { timeoutMs: 300 });
    expect(await failure(next)).toBeInstanceOf(EngineTimeout);
    await until("the next one ended by itself", () => shared.ended() === 1);
  });

  test("is disposed of takes no more and fails the rest", async () => {
    const worker = channel();
    const waiting = failure(call(worker, "endless", counters().args));
    await worker[Symbol.asyncDispose]();
    expect(await waiting).toBeInstanceOf(EngineWorkerLost);
    expect(await failure(call(worker, "echo"))).toBeInstanceOf(EngineWorkerLost);
  });
});

describe("streams", () => {
  test("bring all bytes in order, though the worker fills its buffer again", async () => {
    const bytes = await Bun.readableStreamToBytes(channel().stream(view, "short", null, feed()));
    expect(bytes.length).toBe(300_000);
    expect(bytes.subarray(0, 200_000).every((byte) => byte === 1)).toBe(true);
    expect(bytes.subarray(200_000).every((byte) => byte === 2)).toBe(true);
  });

  test("bring what was made before an error, then the error", async () => {
    const reader = channel().stream(view, "failing", null, feed()).getReader();
    let length = 0;
    const error = await failure(
      (async () => {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          length += next.value.length;
        }
      })(),
    );
    expect(length).toBe(300_000);
    expect(error).toBeInstanceOf(PackRejected);
  });

  test("produce no further than a small window before anyone reads, and a megabyte ahead of who reads", async () => {
    const worker = channel();
    const { args, produced } = counters();
    const reader = worker.stream(view, "chunks", args, feed()).getReader();
    await manyTurns(worker);
    // What is made at once in the test is 32 KB, more than the 16 that the first window has.
    expect(produced()).toBe(32 * kilobyte);
    let taken = 0;
    while (taken < 8 * megabyte) {
      const { value } = await reader.read();
      taken += value?.length ?? 0;
    }
    await until("half a megabyte is ready", () => produced() - taken > 512 * kilobyte);
    await manyTurns(worker);
    expect(produced() - taken).toBeLessThanOrEqual(megabyte + 64 * kilobyte);
    await reader.cancel();
  });

  test("stop their work when the reader leaves, and when the signal says so", async () => {
    const worker = channel();
    const { args, ended } = counters();
    const abort = new AbortController();
    const left = worker.stream(view, "chunks", args, feed()).getReader();
    const aborted = worker.stream(view, "chunks", args, { ...feed(), signal: abort.signal }).getReader();
    await left.read();
    await aborted.read();
    await left.cancel();
    abort.abort(new Error("gone"));
    await until("both ended", () => ended() === 2);
    expect(await failure(aborted.read())).toEqual(new Error("gone"));
    expect(worker.load).toBe(0);
  });

  test("stay within one budget together, and are refused when it cannot feed them", async () => {
    const worker = channel();
    const { args, produced } = counters();
    const shared = new StreamBudget(1.5 * megabyte, megabyte);
    let started = 0;
    const start = () => worker.stream(view, "measured", args, feed(shared, `user ${started++}`)).getReader();
    const readers = Array.from({ length: 32 }, start);
    expect(start).toThrow("no place");
    let taken = 0;
    for (let round = 0; round < 40; round++) {
      for (const reader of readers) {
        const { value } = await reader.read();
        taken += value?.length ?? 0;
      }
    }
    await until("more than the first windows is ready", () => produced() - taken > 32 * 16 * kilobyte);
    await manyTurns(worker);
    expect(produced() - taken).toBeLessThanOrEqual(1.5 * megabyte);
    expect(await call(worker, "echo", "meanwhile")).toBe("meanwhile");
    await readers[0]?.cancel();
    expect((await start().read()).value?.length).toBe(8 * kilobyte);
  });
});

describe("lent chunks", () => {
  const open = (worker: WorkerChannel, first: number) =>
    worker.stream(view, "filled", first, { ...feed(), lend: true }).getReader();
  const isFull = (chunk: Uint8Array | undefined, byte: number): boolean =>
    chunk?.length === 200_000 && chunk.every((each) => each === byte);

  test("hold what was made until the next one is asked for, for all who read at once", async () => {
    const worker = channel();
    const read = async (first: number): Promise<boolean[]> => {
      const reader = open(worker, first);
      const seen: boolean[] = [];
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        await call(worker, "echo");
        seen.push(isFull(next.value, first + seen.length));
      }
      return seen;
    };
    for (const seen of await Promise.all([0, 50, 100, 150].map(read))) {
      expect(seen).toEqual(Array.from({ length: 20 }, () => true));
    }
  });

  test("lie in one memory, at the places that are given back first", async () => {
    const reader = open(channel(), 0);
    const buffers = new Set<ArrayBufferLike>();
    let end = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      buffers.add(next.value.buffer);
      end = Math.max(end, next.value.byteOffset + next.value.length);
    }
    expect(buffers.size).toBe(1);
    expect(end).toBeLessThan(2 * megabyte);
  });

  test("that nobody has any more after their reader left can be lent again", async () => {
    const worker = channel();
    // Each leaves a chunk behind, 200 times 200,000 bytes, which is more than can be lent at a time.
    const places = new Set<number>();
    const leave = async (): Promise<void> => {
      const reader = open(worker, 0);
      places.add((await reader.read()).value?.byteOffset ?? -1);
      await reader.cancel();
    };
    for (let reader = 0; reader < 200; reader++) {
      await leave();
      if (reader % 10 === 0) {
        Bun.gc(true);
      }
    }
    expect(places.size).toBeLessThan(60);
  });

  test("are copied where there is no room to lend them", async () => {
    const worker = channel();
    const held: ReturnType<typeof open>[] = [];
    const chunks: Uint8Array[] = [];
    while (chunks.length < 100) {
      const reader = open(worker, chunks.length);
      held.push(reader);
      const { value } = await reader.read();
      chunks.push(value ?? new Uint8Array(0));
    }
    expect(new Set(chunks.map(({ buffer }) => buffer)).size).toBeGreaterThan(1);
    for (const [first, chunk] of chunks.entries()) {
      expect(chunk.length > 0 && chunk.every((byte) => byte === first)).toBe(true);
    }
    await Promise.all(held.map((reader) => reader.cancel()));
  });

  test("stay as they are when their reader leaves, whoever reads after that", async () => {
    const worker = channel();
    const abort = new AbortController();
    const left = open(worker, 0);
    const aborted = worker.stream(view, "filled", 100, { ...feed(), lend: true, signal: abort.signal }).getReader();
    const kept = (await left.read()).value;
    const keptToo = (await aborted.read()).value;
    await left.cancel();
    abort.abort(new Error("gone"));
    for (let reader = open(worker, 200); !(await reader.read()).done;);
    expect(isFull(kept, 0)).toBe(true);
    expect(isFull(keptToo, 100)).toBe(true);
  });

  test("of a worker that ended are not given to the next one", async () => {
    const worker = channel();
    const before = open(worker, 0);
    const kept = (await before.read()).value;
    await failure(call(worker, "exit"));
    const after = open(worker, 100);
    for (let piece = 0; piece < 20; piece++) {
      const { value } = await after.read();
      await before.read().catch(() => null);
      expect(isFull(value, 100 + piece)).toBe(true);
    }
    expect(isFull(kept, 0)).toBe(true);
  });
});
