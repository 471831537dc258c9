import type { Ref } from "../refs/ref.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { FetchRequest, ResolvedFetch } from "./fetch-request.ts";

/**
 * Adds to a request what it means for these refs (those the client may see).
 * Throws ProtocolError when `deepen-not` names no ref.
 */
export function resolveFetch(request: FetchRequest, refs: readonly Ref[]): ResolvedFetch {
  const tips = new Set(refs.map((ref) => ref.oid));
  const unadvertised = request.wants.filter((oid) => !tips.has(oid));
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
  return { ...request, deepen, unadvertised, tips: unadvertised.length === 0 ? [] : [...tips], tags };
}

/** The places git looks for a ref given by a short name, in its order; see gitrevisions(7). */
const places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/** Each ref is looked at once, however many names there are: a stranger may send a hundred thousand of each. */
function oidsOfShortNames(names: readonly string[], refs: readonly Ref[]): string[] {
  const byName = new Map(names.length === 0 ? [] : refs.map((ref) => [ref.name, ref.peeled ?? ref.oid]));
  return names.map((name) => {
    const place = places.find((candidate) => byName.has(candidate + name));
    const oid = place === undefined ? undefined : byName.get(place + name);
    if (oid === undefined) {
      throw new ProtocolError(`git upload-pack: deepen-not is not a ref: ${name}`);
    }
    return oid;
  });
}
