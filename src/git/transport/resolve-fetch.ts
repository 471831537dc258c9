import type { ObjectFormat } from "../objects/object-format.ts";
import { OidList, packOids, type PackedOids } from "../objects/oid-list.ts";
import type { Ref } from "../refs/ref.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { FetchRequest, ResolvedFetch, ResolvedFilter } from "./fetch-request.ts";
import type { FilterRequest } from "./parse-filter.ts";
import { TipOids } from "./tip-oids.ts";

const none = new Uint8Array(0);

/**
 * Adds to a request what it means for these refs (those the client may see); `head` is the full name of the default branch.
 * Throws ProtocolError when `want-ref`, `deepen-not` or a filter names no ref.
 */
export function resolveFetch(
  request: FetchRequest,
  refs: readonly Ref[],
  head: string,
  format: ObjectFormat,
): ResolvedFetch {
  const wantedRefs = findWantedRefs(request.wantedRefs, refs, head);
  const tips = TipOids.of(refs, format);
  const wants = wantedRefs.length === 0 ? request.wants : concatenate(request.wants, wantedRefs, format);
  const unadvertised = findOthers(request.wants, tips, format);
  const tags: { oid: string; peeled: string }[] = [];
  if (request.includeTag) {
    for (const { oid, peeled } of refs) {
      if (peeled !== null) {
        tags.push({ oid, peeled });
      }
    }
  }
  const deepen =
    request.deepen?.kind === "bounded"
      ? { ...request.deepen, not: oidsOfShortNames(request.deepen.not, refs) }
      : request.deepen;
  const filter = request.filter === null ? null : resolveFilter(request.filter, refs, head, tips);
  // In v0 over a connection the haves come later.
  const named = request.haves.length > 0 || request.shallow.length > 0 || request.ending === "end";
  const needsTips = named || unadvertised.length > 0 || filter?.sparse.some(({ advertised }) => !advertised) === true;
  return { ...request, wants, wantedRefs, deepen, filter, unadvertised, tips: needsTips ? tips.packed : none, tags };
}

function concatenate(wants: PackedOids, refs: readonly { readonly oid: string }[], format: ObjectFormat): PackedOids {
  const more = packOids(
    refs.map(({ oid }) => oid),
    format,
  );
  const all = new Uint8Array(wants.length + more.length);
  all.set(wants);
  all.set(more, wants.length);
  return all;
}

/** Returns the oids that are no tips. */
function findOthers(oids: PackedOids, tips: TipOids, format: ObjectFormat): PackedOids {
  const others = new OidList(format);
  for (let at = 0; at < oids.length; at += format.oidBytes) {
    if (!tips.has(oids, at)) {
      others.addAt(oids, at);
    }
  }
  return others.pack();
}

function findWantedRefs(names: readonly string[], refs: readonly Ref[], head: string): { name: string; oid: string }[] {
  const byName = refsOfNames(
    names.map((name) => (name === "HEAD" ? head : name)),
    refs,
  );
  return names.map((name) => {
    const oid = byName.get(name === "HEAD" ? head : name)?.oid;
    if (oid === undefined) {
      throw new ProtocolError(`unknown ref ${name.slice(0, 200)}`);
    }
    return { name, oid };
  });
}

/** A specification is named as git's revisions are, as far as refs and paths go: `<ref or oid>[:<path>]`. */
function resolveFilter(filter: FilterRequest, refs: readonly Ref[], head: string, tips: TipOids): ResolvedFilter {
  const sparse = filter.sparse.map((name) => {
    const colon = name.indexOf(":");
    const place = colon < 0 ? name : name.slice(0, colon);
    const path = colon < 0 ? null : name.slice(colon + 1);
    const isOid = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(place);
    const oid = isOid ? place : oidOfShortName(place === "HEAD" ? head : place, refs);
    if (oid === undefined) {
      throw new ProtocolError(`unable to access sparse blob in '${name.slice(0, 200)}'`);
    }
    return { name, oid, path, advertised: !isOid || tips.hasHex(oid) };
  });
  return { ...filter, sparse };
}

function oidOfShortName(name: string, refs: readonly Ref[]): string | undefined {
  const names = places.map((place) => place + name);
  const found = names.map((full) => refs.find((ref) => ref.name === full)).find((ref) => ref !== undefined);
  return found?.peeled ?? found?.oid;
}

/** The places git looks for a ref given by a short name, in its order; see gitrevisions(7). */
const places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/** The ref that a short name means among these, by their full names; null for none. */
export function findShortName<Value>(name: string, byName: ReadonlyMap<string, Value>): Value | null {
  const place = places.find((candidate) => byName.has(candidate + name));
  return place === undefined ? null : (byName.get(place + name) ?? null);
}

/** Each ref is looked at once, however many names there are: a stranger may send a hundred thousand of each. */
function oidsOfShortNames(names: readonly string[], refs: readonly Ref[]): string[] {
  const byName = refsOfNames(
    names.flatMap((name) => places.map((place) => place + name)),
    refs,
  );
  return names.map((name) => {
    const ref = findShortName(name, byName);
    if (ref === null) {
      throw new ProtocolError(`git upload-pack: deepen-not is not a ref: ${name}`);
    }
    return ref.peeled ?? ref.oid;
  });
}

/**
 * Returns the refs with one of these full names. Names are few and refs may be many: a map of all refs would take ten
 * times as long.
 */
function refsOfNames(names: readonly string[], refs: readonly Ref[]): Map<string, Ref> {
  const wanted = new Set(names);
  const found = wanted.size === 0 ? [] : refs.filter((ref) => wanted.has(ref.name));
  return new Map(found.map((ref) => [ref.name, ref]));
}
