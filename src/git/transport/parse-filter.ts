import { ObjectType } from "../objects/object-type.ts";
import { ProtocolError } from "../wire/protocol-error.ts";

/**
 * A filter as a client sent it: what is kept is kept by all of these. See ObjectFilter, of which it is all but the content
 * of the sparse specifications.
 */
export interface FilterRequest {
  readonly types: readonly ObjectType[];
  readonly blobLimit: number;
  readonly treeDepth: number;
  /** names of blobs with sparse specifications: an oid, or a ref, either with a path behind a colon */
  readonly sparse: readonly string[];
}

const everything: FilterRequest = {
  types: [ObjectType.commit, ObjectType.tree, ObjectType.blob, ObjectType.tag],
  blobLimit: Number.POSITIVE_INFINITY,
  treeDepth: Number.POSITIVE_INFINITY,
  sparse: [],
};

const typesByName = new Map([
  ["commit", ObjectType.commit],
  ["tree", ObjectType.tree],
  ["blob", ObjectType.blob],
  ["tag", ObjectType.tag],
]);

const maxParts = 64;
const maxSparse = 4;

/** Reads a filter specification, such as `blob:none` or `combine:tree:3+blob:limit=1k`. Throws ProtocolError. Source: git-rev-list(1). */
export function parseFilter(text: string): FilterRequest {
  const filter = parse(text, { parts: 0 });
  if (filter.sparse.length > maxSparse) {
    throw new ProtocolError(`A filter with more than ${maxSparse} sparse specifications is not accepted`);
  }
  return filter;
}

function parse(text: string, seen: { parts: number }): FilterRequest {
  if (++seen.parts > maxParts) {
    throw new ProtocolError(`A filter with more than ${maxParts} parts is not accepted`);
  }
  const colon = text.indexOf(":");
  const value = text.slice(colon + 1);
  switch (text.slice(0, colon + 1)) {
    case "blob:":
      if (value === "none") {
        return { ...everything, types: everything.types.filter((type) => type !== ObjectType.blob) };
      }
      if (value.startsWith("limit=")) {
        return { ...everything, blobLimit: parseNumber(value.slice("limit=".length), text) };
      }
      break;
    case "tree:":
      return { ...everything, treeDepth: parseNumber(value, text) };
    case "object:": {
      const type = value.startsWith("type=") ? typesByName.get(value.slice("type=".length)) : undefined;
      if (type !== undefined) {
        return { ...everything, types: [type] };
      }
      break;
    }
    case "sparse:":
      if (value.startsWith("oid=") && value.length > "oid=".length) {
        return { ...everything, sparse: [value.slice("oid=".length)] };
      }
      break;
    case "combine:":
      return value
        .split("+")
        .map((part) => parse(decode(part), seen))
        .reduce(both);
    default:
  }
  throw new ProtocolError(`invalid filter-spec '${text.slice(0, 200)}'`);
}

/** A number with k, m or g for powers of 1024. */
function parseNumber(text: string, filter: string): number {
  const [, digits, unit] = /^(\d{1,15})([kmg]?)$/i.exec(text) ?? [];
  if (digits === undefined) {
    throw new ProtocolError(`invalid filter-spec '${filter.slice(0, 200)}'`);
  }
  return Number(digits) * 1024 ** ["", "k", "m", "g"].indexOf((unit ?? "").toLowerCase());
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ProtocolError(`invalid filter-spec '${part.slice(0, 200)}'`);
  }
}

function both(left: FilterRequest, right: FilterRequest): FilterRequest {
  return {
    types: left.types.filter((type) => right.types.includes(type)),
    blobLimit: Math.min(left.blobLimit, right.blobLimit),
    treeDepth: Math.min(left.treeDepth, right.treeDepth),
    sparse: [...left.sparse, ...right.sparse],
  };
}
