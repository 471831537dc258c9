import type { FuzzTarget } from "./fuzz-target.ts";
import { delta, deltaEncode, packEntry } from "./targets/deltas.ts";
import { bundle, refName } from "./targets/names.ts";
import { commit, gitmodules, tag, tree } from "./targets/objects.ts";
import { damagedPack, pack, packIndex } from "./targets/packs.ts";
import { reachability } from "./targets/reachability.ts";
import { fetchRequestV0, fetchRequestV2, pushRequest, uploadPack } from "./targets/requests.ts";
import { pktLine, sideband } from "./targets/wire.ts";

/** Makes each target when it is its turn. `askGitEvery`: how often git is asked where that takes a process of its own. */
export const fuzzTargets: Readonly<Record<string, (askGitEvery: number) => FuzzTarget>> = {
  "pkt-line": pktLine,
  sideband,
  "fetch-v0": fetchRequestV0,
  "fetch-v2": fetchRequestV2,
  "push-request": pushRequest,
  "upload-pack": uploadPack,
  pack,
  "pack-entry": packEntry,
  delta,
  "delta-encode": deltaEncode,
  "pack-index": packIndex,
  "damaged-pack": damagedPack,
  reach: reachability,
  tree,
  commit,
  tag,
  gitmodules,
  "ref-name": refName,
  bundle,
};
