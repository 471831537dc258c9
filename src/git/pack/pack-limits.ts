/** Limits for a received pack. Exceeding one is a PackRejected with the reason `too-large`. */
export interface PackLimits {
  /** Inflated size of one object, in bytes; never more than 2 GB. */
  readonly objectBytes: number;
  /** Inflated size of all objects together, in bytes. Work to rebuild delta bases, and what deltas consist of, are each limited to the same again. */
  readonly totalInflatedBytes: number;
  /**
   * How many times the pack's own size its objects may have together, of deltas only what is more than their base; looked
   * at from 64 MB on. What deltas take over counts from an eighth of `totalInflatedBytes` on.
   */
  readonly inflationRatio: number;
  /** Deltas between an object and the whole one that it is built on. */
  readonly deltaDepth: number;
  readonly objectCount: number;
}

/** Sizes are kept in 32 bits and buffers of more are not sure to be had. */
export const largestObjectBytes = 2 ** 31 - 64;
/**
 * A blob of more bytes than this is never held whole while a pack is taken in: it goes through in pieces, and what is
 * built on it copies from a file. Below, that costs more than it saves.
 */
export const largeBlobBytes = 8 * 1024 * 1024;
/** Trees, commits and tags are parsed as a whole: a tree with more than a million files in one directory. */
export const largestParsedBytes = 64 * 1024 * 1024;
/** A few repetitive files compress extremely well: harmless as long as they are small. */
export const ratioFreeBytes = 64 * 1024 * 1024;
/** The share of `totalInflatedBytes` that deltas may copy from their bases, whatever the pack's size. */
export const ratioFreeShare = 1 / 8;
/** Deflate cannot make more of a byte than this: a header that promises more is damaged, whatever it says. */
export const largestInflation = 1032;

/** For packs of the server's own. */
export const unlimited: PackLimits = {
  objectBytes: largestObjectBytes,
  totalInflatedBytes: Number.MAX_SAFE_INTEGER,
  inflationRatio: Number.MAX_SAFE_INTEGER,
  deltaDepth: 65_535,
  objectCount: 2 ** 32,
};
