import { findUnreachable } from "../graph/find-unreachable.ts";
import type { ObjectFilter } from "../graph/object-filter.ts";
import { peel } from "../graph/peel.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { SparsePatterns } from "../graph/sparse-patterns.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { PackedOids } from "../objects/oid-list.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { ResolvedFetch, ResolvedFilter } from "./fetch-request.ts";
import { findPresent } from "./resolve-wants.ts";

/** Patterns beyond that are no specification of what somebody wants to see. */
const maxSparseBytes = 256 * 1024;

/**
 * A filter with the content of its sparse specifications. These are served from what the client may see alone: an oid
 * that no ref reaches is refused as one that is not there. Throws ProtocolError, FilterTooCostly, MissingObject, CorruptObject.
 */
export function* readFilter(reader: RepositoryReader, fetch: ResolvedFetch): Generator<undefined, ObjectFilter | null> {
  if (fetch.filter === null) {
    return null;
  }
  const { db } = reader;
  const sparse: SparsePatterns[] = [];
  for (const specification of fetch.filter.sparse) {
    const from = db.findHex(specification.oid);
    const visible = from >= 0 && (specification.advertised || (yield* isReachable(reader, fetch.tips, from)));
    const blob = visible ? findAt(reader, from, specification.path) : -1;
    if (blob < 0 || db.typeAt(blob) !== ObjectType.blob || db.sizeAt(blob) > maxSparseBytes) {
      throw noAccess(specification);
    }
    sparse.push(new SparsePatterns(Buffer.from(db.read(blob).bytes).toString("latin1")));
  }
  const { types, blobLimit, treeDepth } = fetch.filter;
  return { types, blobLimit, treeDepth, sparse };
}

function* isReachable(reader: RepositoryReader, tips: PackedOids, position: number): Generator<undefined, boolean> {
  return (yield* findUnreachable(reader, findPresent(reader.db, tips), [position])).length === 0;
}

/** Finds the object of a commit, tree or tag at a path; without a path, the object itself. -1 if there is none. */
function findAt({ db, graph }: RepositoryReader, position: number, path: string | null): number {
  const end = peel(db, position);
  if (path === null) {
    return end.position;
  }
  let at = end.type === ObjectType.commit ? graph.treeOf(end.position) : end.position;
  for (const name of path.split("/")) {
    if (at < 0 || db.typeAt(at) !== ObjectType.tree) {
      return -1;
    }
    const cursor = new TreeCursor(db.read(at).bytes, db.format);
    at = cursor.seek(Buffer.from(name)) ? db.find(cursor.bytes, cursor.oidAt) : -1;
  }
  return at;
}

function noAccess({ name }: ResolvedFilter["sparse"][number]): ProtocolError {
  return new ProtocolError(`unable to access sparse blob in '${name.slice(0, 200)}'`);
}
