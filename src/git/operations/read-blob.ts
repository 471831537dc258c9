import { MissingObject } from "../odb/object-database.ts";
import type { ByteSteps, Job } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";
import { SharedContents } from "./shared-contents.ts";

export interface ReadBlobArgs {
  readonly oid: string;
  /** first byte wanted */
  readonly start: number;
  /** byte after the last one wanted; beyond the end means to the end */
  readonly end: number;
  /** whether it is only looked at, so that of a large object nothing but this part need be compared with what it should be */
  readonly isHint?: boolean;
}

/** Contents that streams of this thread are reading, bytes. What has no room, and what is large, is read in pieces. */
const contents = new SharedContents(64 * 1024 * 1024);

/** The content of an object, or a part of it. Throws MissingObject, CorruptPack, EngineBusy, StorageFull. */
export function* readBlob({ odb, format }: OpenRepository, args: ReadBlobArgs, job: Job): ByteSteps {
  const position = odb.findHex(args.oid);
  if (position < 0) {
    throw new MissingObject(args.oid);
  }
  const size = odb.sizeAt(position);
  const key = `${format.name} ${args.oid}`;
  const bytes = size > odb.largeBytes ? null : contents.take(key, size, () => odb.readChecked(position).bytes);
  if (bytes === null) {
    for (const piece of odb.readPieces(position, undefined, args)) {
      yield* inParts(piece, job);
    }
    return;
  }
  try {
    yield* inParts(bytes.subarray(args.start, args.end), job);
  } finally {
    contents.release(key);
  }
}

/** As much at once as the reader may have. */
function* inParts(bytes: Uint8Array, job: Job): ByteSteps {
  for (let at = 0; at < bytes.length;) {
    const from = at;
    at = Math.min(at + job.pieceBytes, bytes.length);
    yield bytes.subarray(from, at);
  }
  if (bytes.length === 0) {
    yield;
  }
}
