import zlib from "node:zlib";
import { openHandle } from "./handle-inflater.ts";

const { Z_FINISH } = zlib.constants;

/**
 * Deflates at the least effort, through one native handle of node:zlib (see handle-inflater): a third to a half
 * of what it takes the library that is used for everything else, which makes its tables anew each time, for a quarter more
 * bytes. Each result is a whole zlib stream.
 */
export class QuickDeflater {
  /** the last result begins here */
  readonly output: Uint8Array;
  #failure: string | null = null;
  readonly #handle;
  readonly #state;

  private constructor(largestBytes: number) {
    // The fixed code has no symbol of more than nine bits for a byte.
    this.output = new Uint8Array(largestBytes + (largestBytes >> 2) + 64);
    const { handle, state } = openHandle(zlib.createDeflate({ level: 1 }), (code) => (this.#failure = code));
    this.#handle = handle;
    this.#state = state;
  }

  /** One for buffers of at most `largestBytes`, or null where node:zlib does not do what this relies on. */
  static open(largestBytes: number): QuickDeflater | null {
    try {
      const deflater = new QuickDeflater(largestBytes);
      // Twice: what a handle keeps of one stream must not be in the next.
      return deflater.#works("self check") && deflater.#works("self check, again") ? deflater : null;
    } catch {
      return null;
    }
  }

  /** Returns how long the stream in `output` is; 0 when it failed. */
  deflate(bytes: Uint8Array): number {
    const { output } = this;
    this.#failure = null;
    this.#handle.reset();
    this.#handle.writeSync(Z_FINISH, bytes, 0, bytes.length, output, 0, output.length);
    const [room = 0, left = 0] = this.#state;
    return this.#failure === null && left === 0 && room > 0 ? output.length - room : 0;
  }

  #works(text: string): boolean {
    const length = this.deflate(Buffer.from(text));
    return length > 0 && zlib.inflateSync(this.output.subarray(0, length)).toString() === text;
  }
}
