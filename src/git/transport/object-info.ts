import { findUnreachable } from "../graph/find-unreachable.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { isOid } from "../objects/oid.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { Ref } from "../refs/ref.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { ProtocolError } from "../wire/protocol-error.ts";

/** The v2 command `object-info`: the only thing that can be asked for is the size. Source: gitprotocol-v2(5). */
export interface ObjectInfoRequest {
  readonly size: boolean;
  /** hex, as sent */
  readonly oids: readonly string[];
}

/** A request with the oids of the refs that the client may see: the argument of `objectSizes`. */
export interface ObjectSizesRequest {
  readonly oids: readonly string[];
  readonly tips: readonly string[];
}

/** Reads the arguments up to and with the flush; without a reader there are none. Throws ProtocolError. */
export async function parseObjectInfoArguments(
  reader: PacketReader | null,
  format: ObjectFormat,
  maxOids: number,
): Promise<ObjectInfoRequest> {
  let size = false;
  const oids: string[] = [];
  for (
    let next = await reader?.nextLine();
    next !== undefined && "line" in next;
    next = reader?.readyLine() ?? (await reader?.nextLine())
  ) {
    const oid = next.line.startsWith("oid ") ? next.line.slice(4) : null;
    if (next.line === "size") {
      size = true;
    } else if (oid !== null && isOid(oid, format)) {
      if (oids.push(oid) > maxOids) {
        throw new ProtocolError(`object-info: more than ${maxOids} oid lines`);
      }
    } else {
      throw new ProtocolError(`object-info: unexpected line: '${next.line.slice(0, 80)}'`);
    }
  }
  return { size, oids };
}

export function resolveObjectInfo({ oids }: ObjectInfoRequest, refs: readonly Ref[]): ObjectSizesRequest {
  return { oids, tips: [...new Set(refs.map((ref) => ref.oid))] };
}

/** The sizes of objects in bytes; null for each that is missing, or that none of the tips reaches. Throws MissingObject, CorruptObject. */
export function* objectSizes(
  reader: RepositoryReader,
  { oids, tips }: ObjectSizesRequest,
): Generator<undefined, (number | null)[]> {
  const { db } = reader;
  const find = (hex: string): number => db.findHex(hex);
  const positions = oids.map(find);
  const foreign = new Set(
    yield* findUnreachable(
      reader,
      tips.map(find).filter((tip) => tip >= 0),
      positions.filter((position) => position >= 0),
    ),
  );
  return positions.map((position) => (position < 0 || foreign.has(position) ? null : db.sizeAt(position)));
}

/** The answer, framed: the names of what is told, then a line for each object, with nothing behind the oid of one that is missing. */
export function writeObjectInfo({ size, oids }: ObjectInfoRequest, sizes: readonly (number | null)[]): Uint8Array {
  const out = new PacketWriter();
  if (size) {
    out.line("size");
  }
  for (const [index, oid] of oids.entries()) {
    out.line(size ? `${oid} ${sizes[index] ?? ""}` : oid);
  }
  return out.flush().take();
}
