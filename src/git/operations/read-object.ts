import { typeName, type ObjectTypeName } from "../objects/object-type.ts";
import { Transferred } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ReadObjectArgs {
  /** hexadecimal, whole */
  readonly oid: string;
  /** the content of a larger object is not read */
  readonly maxBytes: number;
}

export interface ReadObjectResult {
  readonly oid: string;
  readonly type: ObjectTypeName;
  /** of the content, bytes */
  readonly size: number;
  /** null when it is larger than `maxBytes` */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

/** One object by its oid; null when no pack of the view has it. Says nothing of whether a ref reaches it. */
export function readObject(repository: OpenRepository, args: ReadObjectArgs): Transferred<ReadObjectResult> | null {
  const { odb } = repository;
  const position = odb.findHex(args.oid);
  if (position < 0) {
    return null;
  }
  const size = odb.sizeAt(position);
  const bytes = size > args.maxBytes ? null : odb.readChecked(position).bytes.slice();
  const result = { oid: args.oid, type: typeName(odb.typeAt(position)), size, bytes };
  return new Transferred(result, bytes === null ? [] : [bytes.buffer]);
}
