/** Repeatable numbers (a linear congruential generator modulo 2^48), evenly spread from 0 to below a bound. */
export function repeatableNumbers(seed: number): (below: number) => number {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 25_214_903_917n + 11n) & 0xffff_ffff_ffffn;
    return Number(((state >> 16n) * BigInt(below)) >> 32n);
  };
}
