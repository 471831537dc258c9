import { MissingObject } from "../../odb/object-database.ts";
import type { ByteSteps, Job } from "../job.ts";
import type { OpenRepository } from "../open-repository.ts";

export interface ReadBlobArgs {
  readonly oid: string;
  /** first byte wanted */
  readonly start: number;
  /** byte after the last one wanted; beyond the end means to the end */
  readonly end: number;
}

/** The content of an object, or a part of it. Throws MissingObject, CorruptPack. */
export function* readBlob(repository: OpenRepository, args: ReadBlobArgs, job: Job): ByteSteps {
  const position = repository.odb.findHex(args.oid);
  if (position < 0) {
    throw new MissingObject(args.oid);
  }
  const { bytes } = repository.odb.read(position);
  const end = Math.min(args.end, bytes.length);
  for (let at = args.start; at < end; ) {
    const from = at;
    at = Math.min(at + job.pieceBytes, end);
    yield bytes.subarray(from, at);
  }
}
