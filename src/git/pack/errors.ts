import { StithyError } from "../../lib/errors.ts";

/** A stored pack or its index cannot be read: damaged, cut off, or gone. The request fails; others go on. */
export class CorruptPack extends StithyError {
  constructor(
    message: string,
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super("fault", "corrupt-pack", message, { path }, options);
  }
}

/** Bytes that are no zlib stream of the expected size, or no delta for their base. Callers say where they came from. */
export class CorruptEntry extends StithyError {
  constructor(
    message: string,
    /** The input ended before the stream did: with more input it might be fine. */
    readonly inputEnded = false,
  ) {
    super("fault", "corrupt-entry", message);
  }
}

/** Why a received pack is refused. Stable, for surfaces and tests. */
export type PackRejection =
  | "malformed"
  | "truncated"
  | "checksum"
  | "trailing-bytes"
  | "too-large"
  | "missing-base"
  | "collision"
  | "duplicate"
  | "bad-object";

/** A received pack is not taken: it is damaged, breaks a limit, or holds an object that breaks git's rules. */
export class PackRejected extends StithyError {
  constructor(
    readonly reason: PackRejection,
    message: string,
    /** Hexadecimal, where one object is to blame. */
    readonly oid?: string,
    options?: ErrorOptions,
  ) {
    super("invalid", "pack-rejected", message, oid === undefined ? { reason } : { reason, oid }, options);
  }
}
