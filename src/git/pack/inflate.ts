import zlib from "node:zlib";
import { messageOf } from "../../lib/errors.ts";
import { CorruptEntry } from "./errors.ts";

/**
 * Inflates zlib streams whose inflated size is known and whose compressed size is not, as in a pack.
 *
 * One native handle is reused for all of them: making a stream object for each entry costs many times the inflating.
 * That reaches into what node:zlib keeps inside (`_handle`, `_writeState`), so it is tried at load with good and with
 * corrupt input, and the public function serves instead where it does not behave as expected.
 *
 * Two traps. Without an own `onerror` the handle does not report corrupt input: it leaves wrong bytes behind and an
 * 'error' event on the next tick. And only Z_FINISH reports a stream that has no end.
 */
interface ZlibHandle {
  reset(): void;
  writeSync(flush: number, source: Uint8Array, from: number, length: number, target: Uint8Array, at: number, room: number): void;
}
interface ZlibInternals {
  _handle: ZlibHandle;
  /** Room left in the output, bytes left in the input: set by a write that succeeds. */
  _writeState: Uint32Array;
}

const { Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;

let handle: ZlibHandle | null = null;
let state: Uint32Array = new Uint32Array(2);
let failure: string | null = null;

function makeHandle(): void {
  const stream = zlib.createInflate();
  stream.on("error", () => {});
  const internals = stream as unknown as ZlibInternals;
  handle = internals._handle;
  state = internals._writeState;
  Object.assign(handle, {
    onerror(_message: string, _errno: number, code: string) {
      failure = code;
    },
  });
}

/**
 * Inflates the zlib stream in `source[from..to)` to exactly `size` bytes at `target[at]` and returns how many input bytes
 * it took. The target needs room for one byte more than `size`, by which a stream that is too long is noticed.
 * Throws CorruptEntry; what is in the target then is undefined.
 */
export function inflateInto(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number, size: number): number {
  if (at + size + 1 > target.length) {
    throw new RangeError(`Cannot inflate ${size} bytes into ${target.length - at}`);
  }
  return handle === null
    ? inflateWithStream(source, from, to, target, at, size)
    : inflateWithHandle(handle, source, from, to, target, at, size);
}

/**
 * Inflates only the first `size` bytes of a stream; what follows is not looked at. Throws CorruptEntry if the input does
 * not hold that many: the tables at the start of a block can take some 600 bytes before the first byte comes out.
 */
export function inflateStart(source: Uint8Array, from: number, to: number, target: Uint8Array, size: number): void {
  if (handle === null) {
    const start = zlib.inflateSync(source.subarray(from, to), { finishFlush: Z_SYNC_FLUSH }).subarray(0, size);
    target.set(start);
    demandStart(start.length === size);
    return;
  }
  write(handle, Z_SYNC_FLUSH, source, from, to, target, 0, size);
  demandStart(state[0] === 0);
}

function demandStart(complete: boolean): void {
  if (!complete) {
    throw new CorruptEntry("Cannot inflate the start of an entry: it is shorter", true);
  }
}

function inflateWithHandle(
  handle: ZlibHandle,
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
  size: number,
): number {
  write(handle, Z_FINISH, source, from, to, target, at, size + 1);
  if (state[0] !== 1) {
    throw new CorruptEntry(`Cannot inflate an entry: it does not have the ${size} bytes that its header names`);
  }
  return to - from - state[1]!;
}

function write(
  zlibHandle: ZlibHandle,
  flush: number,
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
  room: number,
): void {
  failure = null;
  zlibHandle.reset();
  zlibHandle.writeSync(flush, source, from, to - from, target, at, room);
  if (failure !== null) {
    const code: string = failure;
    makeHandle();
    throw new CorruptEntry(`Cannot inflate an entry: ${code}`, code === "Z_BUF_ERROR");
  }
}

function inflateWithStream(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number, size: number): number {
  let result: { buffer: Uint8Array; engine: { bytesWritten: number } };
  try {
    // `info` is documented, but the types know only the form that returns the buffer.
    result = zlib.inflateSync(source.subarray(from, to), { info: true, maxOutputLength: size + 1 }) as unknown as typeof result;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    throw new CorruptEntry(`Cannot inflate an entry: ${messageOf(error)}`, code === "Z_BUF_ERROR");
  }
  if (result.buffer.length !== size) {
    throw new CorruptEntry(`Cannot inflate an entry: it does not have the ${size} bytes that its header names`);
  }
  target.set(result.buffer, at);
  return result.engine.bytesWritten;
}

/** Whether the handle does what this file relies on. */
function handleWorks(): boolean {
  const text = Buffer.from("self check");
  const deflated = zlib.deflateSync(text);
  const padded = Buffer.concat([deflated, Buffer.alloc(9)]);
  const corrupt = Buffer.from(deflated);
  corrupt[corrupt.length - 1]! ^= 1;
  const target = new Uint8Array(text.length + 1);
  const good = (): boolean => {
    target.fill(0);
    const consumed = inflateInto(padded, 0, padded.length, target, 0, text.length);
    return consumed === deflated.length && text.equals(target.subarray(0, text.length));
  };
  const fails = (bytes: Uint8Array, size: number, inputEnded: boolean): boolean => {
    try {
      inflateInto(bytes, 0, bytes.length, target, 0, size);
      return false;
    } catch (error) {
      return error instanceof CorruptEntry && error.inputEnded === inputEnded;
    }
  };
  const start = (): boolean => {
    target.fill(0);
    inflateStart(padded, 0, padded.length, target, 4);
    return text.subarray(0, 4).equals(target.subarray(0, 4)) && target[4] === 0;
  };
  try {
    makeHandle();
    return (
      good() &&
      fails(corrupt, text.length, false) &&
      good() &&
      fails(deflated.subarray(0, deflated.length - 1), text.length, true) &&
      fails(deflated, text.length - 1, false) &&
      start() &&
      good()
    );
  } catch {
    return false;
  }
}

if (!handleWorks()) {
  handle = null;
}
