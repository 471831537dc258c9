const blockBytes = 1024;

/**
 * Both texts without most of what they end with in common, cut after a line feed. Without context lines git compares
 * them so, which is faster and can give another, equally short diff.
 */
export function withoutCommonTail(before: Uint8Array, after: Uint8Array): [Uint8Array, Uint8Array] {
  const shorter = Math.min(before.length, after.length);
  let trimmed = 0;
  while (trimmed + blockBytes <= shorter && sameBlock(before, after, trimmed)) {
    trimmed += blockBytes;
  }
  // The line that the cut is in belongs to what stays.
  let kept = 0;
  while (kept < trimmed && before[before.length - trimmed + kept++] !== 0x0a);
  const cut = trimmed - kept;
  return [before.subarray(0, before.length - cut), after.subarray(0, after.length - cut)];
}

/** Whether the blocks that end `fromEnd` bytes before the ends are equal. */
function sameBlock(before: Uint8Array, after: Uint8Array, fromEnd: number): boolean {
  const left = before.subarray(before.length - fromEnd - blockBytes, before.length - fromEnd);
  const right = after.subarray(after.length - fromEnd - blockBytes, after.length - fromEnd);
  return Buffer.compare(left, right) === 0;
}
