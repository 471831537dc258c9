import type { PackedOids } from "../objects/oid-list.ts";
import type { FilterRequest } from "./parse-filter.ts";
import type { SidebandSize } from "../wire/sideband.ts";

/** How far back a client wants history (`deepen …` lines). */
export type Deepen =
  | {
      readonly kind: "depth";
      /** commits from each want, or below each of the client's boundaries when relative */ readonly commits: number;
      readonly relative: boolean;
    }
  | {
      readonly kind: "bounded";
      /** committer time in seconds; older commits are left out */ readonly since: number | null;
      /** what these reach is left out; ref names as sent */ readonly not: readonly string[];
    };

/** The depth that means "all of it" (`fetch --unshallow`). */
export const infiniteDepth = 0x7fffffff;

/** One request of upload-pack, as the client sent it: plain data with bounded lists. Oids are hex where they are not packed. */
export interface FetchRequest {
  /** 0 stands for v0 and v1, whose requests are the same */
  readonly version: 0 | 2;
  readonly wants: PackedOids;
  /** v2: full names of refs whose objects are wanted, whatever they point at by now */
  readonly wantedRefs: readonly string[];
  /** in the order sent: v0 acknowledges them one by one */
  readonly haves: readonly string[];
  /**
   * what came after the haves: `done`, a flush (more haves may follow), or nothing (only the boundary is asked for; v0).
   * "agreed": the haves are common and acknowledged, the boundary is told, and only the pack is left (see `negotiate`)
   */
  readonly ending: "done" | "flush" | "end" | "agreed";
  /** commits whose parents the client lacks */
  readonly shallow: readonly string[];
  readonly deepen: Deepen | null;
  /** null: everything is wanted */
  readonly filter: FilterRequest | null;
  /** v0: how haves are acknowledged */
  readonly acknowledge: "single" | "multi" | "detailed";
  /** v0: the pack may follow `ready` at once */
  readonly noDone: boolean;
  /** v2: never say `ready` */
  readonly waitForDone: boolean;
  readonly sideband: SidebandSize;
  /** v2: the whole answer goes through the sideband, not the pack alone */
  readonly sidebandAll: boolean;
  readonly thinPack: boolean;
  readonly ofsDelta: boolean;
  readonly noProgress: boolean;
  readonly includeTag: boolean;
}

/** Bounds on the lists of a request; a request beyond them is a ProtocolError. */
export interface FetchLimits {
  readonly wants: number;
  readonly haves: number;
  readonly shallow: number;
}

export const defaultFetchLimits: FetchLimits = { wants: 250_000, haves: 65_536, shallow: 65_536 };

/** A request with what the worker needs of the refs: the argument of `fetchPack`, fit to be posted. */
export interface ResolvedFetch extends Omit<FetchRequest, "deepen" | "filter" | "wantedRefs"> {
  /** what each wanted ref points at; among `wants` */
  readonly wantedRefs: readonly { readonly name: string; readonly oid: string }[];
  readonly filter: ResolvedFilter | null;
  readonly deepen:
    | Exclude<Deepen, { kind: "bounded" }>
    | { readonly kind: "bounded"; readonly since: number | null; /** oids */ readonly not: readonly string[] }
    | null;
  /** wants that no ref points to; they are served only if a tip reaches them */
  readonly unadvertised: PackedOids;
  /** all ref oids, only when something is named that they may or may not reach: other wants, haves, boundaries */
  readonly tips: PackedOids;
  /** annotated tags, only when the client asked for those that point into the pack */
  readonly tags: readonly { readonly oid: string; readonly peeled: string }[];
}

/** A filter whose sparse specifications are found in objects: the one with the oid, or what it has at the path. */
export interface ResolvedFilter extends Omit<FilterRequest, "sparse"> {
  readonly sparse: readonly {
    readonly name: string;
    readonly oid: string;
    readonly path: string | null;
    readonly advertised: boolean;
  }[];
}
