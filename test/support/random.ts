/** Numbers that look random and are the same in every run, so that a failure can be seen again. */
export interface SeededRandom {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** The generator that is known as mulberry32. */
export function randomFrom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, bytes: (length) => Uint8Array.from({ length }, () => below(256)) };
}
