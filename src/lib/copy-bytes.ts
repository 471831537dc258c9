const { copy } = Buffer.prototype;

/**
 * Copies `source[from..to)` to `target[at]`, in whose bounds it must be; the two may overlap. Does what
 * `target.set(source.subarray(from, to), at)` does in 20 to 40 ns instead of 60 to 100, as it makes no view that is
 * garbage at once.
 */
export function copyBytes(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number): void {
  copy.call(source, target, at, from, to);
}
