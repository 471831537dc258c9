const p = 2n ** 255n - 19n;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base % p, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % p) {
    if ((rest & 1n) === 1n) {
      result = (result * square) % p;
    }
  }
  return result;
}

/** The curve is -x² + y² = 1 + d·x²·y² (RFC 8032 section 5.1). */
const d = (p - ((121_665n * power(121_666n, p - 2n)) % p)) % p;

/**
 * Whether 32 bytes are the public key of somebody who has a private one: the encoding of a point on the curve, and none of
 * the eight points of small order, under which signatures can be made that fit any message. Those have y of 0, 1 or -1, or
 * half of a point with y = 0, which is where x² = -y² and so d·y⁴ + 2y² = 1.
 */
export function isEd25519PublicKey(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes.toReversed()).toString("hex")}`) & (2n ** 255n - 1n);
  if (bytes.length !== 32 || y >= p) {
    return false;
  }
  const y2 = (y * y) % p;
  const isSmall = y2 <= 1n || (d * y2 * y2 + 2n * y2 - 1n) % p === 0n;
  // x² = (y² - 1) / (d·y² + 1), which has a root when Euler's criterion says so.
  return !isSmall && power((y2 - 1n + p) * (d * y2 + 1n), (p - 1n) / 2n) === 1n;
}
