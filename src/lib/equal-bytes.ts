const { compare } = Buffer.prototype;

/** Whether `left[at..at+length)` and `right[rightAt..rightAt+length)` are equal; both must be in bounds. Makes no views. */
export function equalBytes(left: Uint8Array, at: number, right: Uint8Array, rightAt: number, length: number): boolean {
  return compare.call(left, right, rightAt, rightAt + length, at, at + length) === 0;
}
