import { MissingObject } from "../../odb/object-database.ts";
import type { ByteSteps, Job } from "../job.ts";
import type { OpenRepository } from "../open-repository.ts";
import { SharedContents } from "../shared-contents.ts";

export interface ReadBlobArgs {
  readonly oid: string;
  /** first byte wanted */
  readonly start: number;
  /** byte after the last one wanted; beyond the end means to the end */
  readonly end: number;
}

/** Contents that streams of this thread are reading, bytes. */
const contents = new SharedContents(256 * 1024 * 1024);

/** The content of an object, or a part of it. Throws MissingObject, CorruptPack, EngineBusy. */
export function* readBlob({ odb, format }: OpenRepository, args: ReadBlobArgs, job: Job): ByteSteps {
  const position = odb.findHex(args.oid);
  if (position < 0) {
    throw new MissingObject(args.oid);
  }
  const key = `${format.name} ${args.oid}`;
  const bytes = contents.take(key, odb.sizeAt(position), () => odb.readChecked(position).bytes);
  try {
    const end = Math.min(args.end, bytes.length);
    for (let at = args.start; at < end; ) {
      const from = at;
      at = Math.min(at + job.pieceBytes, end);
      yield bytes.subarray(from, at);
    }
  } finally {
    contents.release(key);
  }
}
