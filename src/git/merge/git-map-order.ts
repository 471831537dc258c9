/**
 * Keys in the order in which git goes through its hash tables, which decides between renames that are equally likely:
 * by the last bits of the FNV-1 hash of each key, of two in one place the later first, in a table of 64 places that
 * grows fourfold when it is four fifths full. Keys are Latin-1 strings of bytes, in the order in which git adds them.
 */
export function inGitMapOrder(keys: Iterable<string>): string[] {
  let buckets = emptyTable(64);
  let count = 0;
  for (const key of keys) {
    bucketOf(buckets, key).unshift(key);
    if (++count > Math.floor((buckets.length * 80) / 100)) {
      const larger = emptyTable(buckets.length * 4);
      for (const moved of buckets.flat()) {
        bucketOf(larger, moved).unshift(moved);
      }
      buckets = larger;
    }
  }
  return buckets.flat();
}

function emptyTable(size: number): string[][] {
  return Array.from({ length: size }, () => []);
}

function bucketOf(buckets: readonly string[][], key: string): string[] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) {
    hash = Math.imul(hash, 0x01000193) ^ key.charCodeAt(at);
  }
  return buckets[(hash >>> 0) & (buckets.length - 1)]!;
}
