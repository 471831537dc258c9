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
      ? { ...request.deepen, not: request.deepen.not.map((name) => oidOfShortName(name, refs)) }
      : request.deepen;
  return { ...request, deepen, unadvertised, tips: unadvertised.length === 0 ? [] : [...tips], tags };
}

/** The places git looks for a ref given by a short name, in its order; see gitrevisions(7). */
const places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

function oidOfShortName(name: string, refs: readonly Ref[]): string {
  for (const place of places) {
    const found = refs.find((ref) => ref.name === place + name);
    if (found !== undefined) {
      return found.peeled ?? found.oid;
    }
  }
  throw new ProtocolError(`git upload-pack: deepen-not is not a ref: ${name}`);
}
