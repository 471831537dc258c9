import type { ResolvedFetch } from "./fetch-request.ts";

const nothing = new Uint8Array(0);

/** The fields that distinguish fetches by the server itself. */
type AskedPack = Pick<ResolvedFetch, "wants" | "haves" | "ending" | "acknowledge"> &
  Partial<Pick<ResolvedFetch, "tips">>;

/** A fetch that no client has sent: the server asks itself for a pack, whole, without a sideband and with nothing left out. */
export function packFetch({ tips = nothing, ...asked }: AskedPack): ResolvedFetch {
  return {
    version: 0,
    ...asked,
    wantedRefs: [],
    shallow: [],
    noDone: false,
    waitForDone: false,
    sideband: 0,
    sidebandAll: false,
    thinPack: false,
    ofsDelta: true,
    noProgress: true,
    includeTag: false,
    filter: null,
    deepen: null,
    unadvertised: nothing,
    tips,
    tags: [],
  };
}
