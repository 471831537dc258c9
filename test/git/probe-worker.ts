import { CorruptPack, PackRejected } from "../../src/git/pack/errors.ts";
import { Transferred } from "../../src/git/job/job.ts";
import { serveWorker } from "../../src/git/workers/serve-worker.ts";
import { StithyError } from "../../src/lib/errors.ts";

/** A worker whose operations show how the channel behaves. `counters` are shared: how much was produced, how often it ended. */
export interface ProbeArgs {
  readonly counters: SharedArrayBuffer;
}

/** How many were asked for in this thread. */
let counted = 0;

function countersOf(args: unknown): Int32Array {
  return new Int32Array((args as ProbeArgs).counters);
}

serveWorker({
  setup: () => {},
  close: () => {},
  call: ({ name, args }, job) => {
    switch (name) {
      case "echo":
        return args;
      case "count":
        return ++counted;
      case "bytes": {
        const bytes = new Uint8Array(100_000).fill(7);
        return new Transferred(bytes, [bytes.buffer]);
      }
      case "endless":
        return endless(countersOf(args));
      case "stubborn": {
        const counters = countersOf(args);
        while (Atomics.load(counters, 2) === 0) {
          Atomics.add(counters, 0, 1);
        }
        return null;
      }
      case "told": {
        const counters = countersOf(args);
        for (;;) {
          Atomics.store(counters, 0, 1);
          try {
            job.throwIfCancelled();
          } catch (error) {
            Atomics.add(counters, 1, 1);
            throw error;
          }
        }
      }
      case "progress":
        job.progress("half");
        return "done";
      case "rejected":
        throw new PackRejected("bad-object", "Cannot accept the pack", "ab".repeat(20));
      case "corrupt":
        throw new CorruptPack("Cannot read the pack", "/p");
      case "odd":
        throw new StithyError("conflict", "odd-code", "Cannot do what is odd", { number: 7, function: () => 1 });
      case "bug":
        throw new RangeError("not on purpose");
      default:
        process.exit(7);
    }
  },
  stream: ({ args, name }, job) =>
    name === "filled"
      ? filled(args as number)
      : name === "chunks"
        ? chunks(countersOf(args), () => 32_768)
        : name === "measured"
          ? chunks(countersOf(args), () => job.pieceBytes)
          : short(name),
});

function* endless(counters: Int32Array): Generator<void, never> {
  try {
    for (;;) {
      Atomics.add(counters, 0, 1);
      yield;
    }
  } finally {
    Atomics.add(counters, 1, 1);
  }
}

/** Counts the bytes that it made, in pieces of a size. */
function* chunks(counters: Int32Array, pieceBytes: () => number): Generator<Uint8Array> {
  try {
    for (;;) {
      const chunk = new Uint8Array(pieceBytes());
      Atomics.add(counters, 0, chunk.length);
      yield chunk;
    }
  } finally {
    Atomics.add(counters, 1, 1);
  }
}

/** 20 large pieces through one buffer, each full of a byte of its own. */
function* filled(first: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(200_000);
  for (let piece = 0; piece < 20; piece++) {
    yield buffer.fill(first + piece);
  }
}

/** 300,000 bytes, in one piece and through one buffer that is filled again; then an end or an error. */
function* short(name: string): Generator<Uint8Array | undefined> {
  const buffer = new Uint8Array(200_000);
  yield buffer.fill(1);
  yield undefined;
  yield buffer.fill(2).subarray(0, 100_000);
  if (name === "failing") {
    throw new PackRejected("truncated", "Cannot go on");
  }
}
