import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { CorruptEntry } from "./errors.ts";
import { shortStart, wrongSize, type Inflater } from "./stream-inflater.ts";

/**
 * One native handle for all streams: making a stream object for each entry costs many times the inflating. That reaches
 * into what node:zlib keeps inside, so it is tried with good and with corrupt input before it is used.
 *
 * Two traps. Without an own `onerror` the handle does not report corrupt input: it leaves wrong bytes behind and an
 * 'error' event on the next tick. And only Z_FINISH reports a stream that has no end.
 */
export interface ZlibHandle {
  reset(): void;
  writeSync(
    flush: number,
    source: Uint8Array,
    from: number,
    length: number,
    target: Uint8Array,
    at: number,
    room: number,
  ): void;
}
interface ZlibInternals {
  _handle: ZlibHandle;
  /** Room left in the output, bytes left in the input: set by a write that succeeds. */
  _writeState: Uint32Array;
}

const { Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;

/** An inflater that reuses its handle, or null where it does not do what this file relies on. */
export function makeHandleInflater(): Inflater | null {
  try {
    const inflater = new HandleInflater();
    return worksAsExpected(inflater) ? inflater : null;
  } catch {
    return null;
  }
}

class HandleInflater implements Inflater {
  private handle!: ZlibHandle;
  private state!: Uint32Array;
  private failure: string | null = null;

  constructor() {
    this.makeHandle();
  }

  into(
    source: Uint8Array,
    from: number,
    to: number,
    target: Uint8Array,
    at: number,
    size: number,
    spare: number,
  ): number {
    this.write(Z_FINISH, source, from, to, target, at, size + spare);
    if (this.state[0] !== spare) {
      throw wrongSize(size);
    }
    return to - from - this.state[1]!;
  }

  start(source: Uint8Array, from: number, to: number, target: Uint8Array, size: number): void {
    this.write(Z_SYNC_FLUSH, source, from, to, target, 0, size);
    if (this.state[0] !== 0) {
      throw shortStart();
    }
  }

  private write(
    flush: number,
    source: Uint8Array,
    from: number,
    to: number,
    target: Uint8Array,
    at: number,
    room: number,
  ): void {
    this.failure = null;
    this.handle.reset();
    this.handle.writeSync(flush, source, from, to - from, target, at, room);
    if (this.failure !== null) {
      const code: string = this.failure;
      // After an error the state of the handle is undefined.
      this.makeHandle();
      throw new CorruptEntry(`Cannot inflate an entry: ${code}`, code === "Z_BUF_ERROR");
    }
  }

  private makeHandle(): void {
    Object.assign(
      this,
      openHandle(zlib.createInflate(), (code) => (this.failure = code)),
    );
  }
}

/** The handle of one of node:zlib's streams and where it leaves its result: room left in the output, bytes left in the input. */
export function openHandle(
  stream: Transform,
  onFailure: (code: string) => void,
): { readonly handle: ZlibHandle; readonly state: Uint32Array } {
  stream.on("error", () => {});
  const { _handle: handle, _writeState: state } = stream as unknown as ZlibInternals;
  Object.assign(handle, { onerror: (_message: string, _errno: number, code: string) => onFailure(code) });
  return { handle, state };
}

function worksAsExpected(inflater: Inflater): boolean {
  const text = Buffer.from("self check");
  const deflated = zlib.deflateSync(text);
  const padded = Buffer.concat([deflated, Buffer.alloc(9)]);
  const corrupt = Buffer.from(deflated);
  corrupt[corrupt.length - 1]! ^= 1;
  const target = new Uint8Array(text.length + 1);
  const good = (): boolean => {
    target.fill(0);
    const consumed = inflater.into(padded, 0, padded.length, target, 0, text.length, 1);
    return consumed === deflated.length && text.equals(target.subarray(0, text.length));
  };
  const fails = (bytes: Uint8Array, size: number, inputEnded: boolean): boolean => {
    try {
      inflater.into(bytes, 0, bytes.length, target, 0, size, 1);
      return false;
    } catch (error) {
      return error instanceof CorruptEntry && error.inputEnded === inputEnded;
    }
  };
  const start = (): boolean => {
    target.fill(0);
    inflater.start(padded, 0, padded.length, target, 4);
    return text.subarray(0, 4).equals(target.subarray(0, 4)) && target[4] === 0;
  };
  return (
    good() &&
    fails(corrupt, text.length, false) &&
    good() &&
    fails(deflated.subarray(0, deflated.length - 1), text.length, true) &&
    fails(deflated, text.length - 1, false) &&
    start() &&
    good()
  );
}
