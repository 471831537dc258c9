import type { Socket } from "node:net";

/** A piece of a pack, at most 256 KB in one, with what its messages of 32 KB have around them. */
const gatheredBytes = 264 * 1024;

/** One for all connections: only one of them writes at a time, and what another has in it is passed on first. */
let memory = Buffer.allocUnsafeSlow(gatheredBytes);
let used = 0;
/** Passes on what is in the memory; of the socket that it is from. */
let flush: () => void = () => {};

/**
 * Has a socket send what is written to it in one turn at the end of that, as a whole. The library writes each message in
 * three parts, for its length, its content and the code that proves it, each of which would be a call of the system and
 * wake the client: 120 of them per MB, where these are 6. What is written is copied at once: its memory may be used again.
 */
export function gatherWrites(socket: Socket): void {
  const write = socket.write.bind(socket);
  const end = socket.end.bind(socket);
  const flushThis = (): void => {
    if (flush !== flushThis) {
      return;
    }
    const gathered = memory.subarray(0, used);
    used = 0;
    flush = () => {};
    if (gathered.length === 0 || !socket.writable) {
      return;
    }
    if (socket.writableLength > 0 || gathered.length < memory.length / 2) {
      // The one may lie there for long, so without the rest of the memory; the other is copied faster than replaced.
      write(Buffer.from(gathered));
      return;
    }
    write(gathered);
    if (socket.writableLength > 0) {
      memory = Buffer.allocUnsafeSlow(gatheredBytes);
    }
  };
  const gather = (bytes: Uint8Array): void => {
    if (flush !== flushThis) {
      flush();
      flush = flushThis;
      process.nextTick(flushThis);
    }
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + memory.length - used);
      memory.set(part, used);
      at += part.length;
      used += part.length;
      if (used === memory.length) {
        flushThis();
        flush = flushThis;
      }
    }
  };
  socket.write = (chunk: Uint8Array | string): boolean => {
    gather(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    return !socket.writableNeedDrain;
  };
  socket.end = (): Socket => {
    flushThis();
    return end();
  };
}
