/**
 * Large buffers that indexing a pack needs and that the next pack can have again: the system clears the pages of a new
 * one, which was an eighth of the work on a pack of 2 MB. Their content is left over from before. One thread indexes
 * one pack at a time, so there is one of each.
 */
export class IndexBuffers implements Disposable {
  private readonly kept = new Map<string, Uint8Array<ArrayBuffer>>();

  /** The buffer of this name, of at least `bytes`; one that is larger is cut to them. Nobody else may be using it. */
  take(name: "objects" | "input", bytes: number): Uint8Array<ArrayBuffer> {
    let buffer = this.kept.get(name);
    if (buffer === undefined || buffer.length < bytes) {
      buffer = new Uint8Array(bytes);
      this.kept.set(name, buffer);
    }
    return buffer.length === bytes ? buffer : buffer.subarray(0, bytes);
  }

  [Symbol.dispose](): void {
    this.kept.clear();
  }
}
