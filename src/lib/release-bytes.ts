/**
 * Frees the memory of bytes that nobody will look at again and that have a buffer of their own; others stay. Left to the
 * garbage collector, much more of it would pile up, and the system would have to clear new pages meanwhile: for a body that
 * is received and written to a file that is a third of the time it takes.
 */
export function releaseBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) {
    buffer.transfer(0);
  }
}
