/** Called once for each complete answer, with the length of its body in bytes. */
type OnResponse = (status: number, bodyBytes: number) => void;

const headerEnd = Buffer.from("\r\n\r\n");

/**
 * Reads HTTP/1.1 answers (RFC 9112) from a connection on which one request at a time is under way: status and length
 * of each, as little work as possible, since the load generator shares the machine with the server.
 */
export class ResponseReader {
  private pending: Buffer = Buffer.alloc(0);
  private status = 0;
  private bodyBytes = 0;
  /** bytes still to come of a body or of a chunk with its line end; -1 while a head or chunk size is awaited */
  private remaining = -1;
  private chunked = false;

  constructor(private readonly onResponse: OnResponse) {}

  push(received: Uint8Array): void {
    let data = Buffer.from(received.buffer, received.byteOffset, received.byteLength);
    if (this.pending.length > 0) data = Buffer.concat([this.pending, data]);
    let at = 0;
    while (at < data.length) {
      const next = this.step(data, at);
      if (next === at) break;
      at = next;
    }
    this.pending = at < data.length ? Buffer.from(data.subarray(at)) : Buffer.alloc(0);
  }

  /** Consumes something from `at` on; the position after it, the same one when more data is needed. */
  private step(data: Buffer, at: number): number {
    if (this.remaining >= 0) return this.takeBody(data, at);
    return this.chunked ? this.takeChunkSize(data, at) : this.takeHead(data, at);
  }

  private takeHead(data: Buffer, at: number): number {
    const end = data.indexOf(headerEnd, at);
    if (end === -1) return at;
    const head = data.toString("latin1", at, end).toLowerCase();
    this.status = Number(head.slice(9, 12));
    this.bodyBytes = 0;
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    this.chunked = length === undefined && /\r\ntransfer-encoding: *chunked/.test(head);
    if (this.chunked) return end + 4;
    if (length === undefined && this.status !== 204 && this.status !== 304)
      throw new Error(`An answer with status ${this.status} says no length`);
    const expected = this.status === 304 || this.status === 204 ? 0 : Number(length);
    if (expected === 0) this.finish();
    else this.remaining = expected;
    return end + 4;
  }

  private takeBody(data: Buffer, at: number): number {
    const taken = Math.min(this.remaining, data.length - at);
    this.remaining -= taken;
    this.bodyBytes += taken;
    if (this.remaining === 0) {
      this.remaining = -1;
      if (this.chunked) this.bodyBytes -= 2;
      else this.finish();
    }
    return at + taken;
  }

  private takeChunkSize(data: Buffer, at: number): number {
    const end = data.indexOf("\r\n", at);
    if (end === -1) return at;
    const size = Number.parseInt(data.toString("latin1", at, end), 16);
    if (size > 0) {
      this.remaining = size + 2;
      return end + 2;
    }
    // The last chunk: servers here send no trailers, so one empty line follows.
    if (data.length < end + 4) return at;
    this.chunked = false;
    this.finish();
    return end + 4;
  }

  private finish(): void {
    this.onResponse(this.status, this.bodyBytes);
  }
}
