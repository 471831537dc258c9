import type { LentChunk } from "./lent-chunks.ts";
import type { WireError } from "../../lib/wire-error.ts";
import type { Lane } from "../job/lane.ts";
import type { CommitSigner } from "../objects/commit-signer.ts";
import type { RepositoryView } from "../job/repository-view.ts";

/** One request as it travels; `name` and `args` belong together by the maps in `operations.ts`. */
export interface Request {
  readonly id: number;
  readonly view: RepositoryView;
  readonly name: string;
  readonly args: unknown;
  /** opaque: for whom it is done */
  readonly principal: string;
}

/** Messages from the main thread to a worker. */
export type ToWorker =
  | {
      readonly kind: "setup";
      readonly cacheBytes: number;
      readonly shownBytes: number;
      readonly lane: Lane;
      readonly signer: CommitSigner | null;
    }
  /** `cancelled` holds one 32-bit word that becomes 1: it reaches work that does not return to the message loop. */
  | { readonly kind: "call"; readonly request: Request; readonly cancelled: SharedArrayBuffer | null }
  /** `lend`: whether chunks may be lent instead of given away */
  | { readonly kind: "stream"; readonly request: Request; readonly credit: number; readonly lend: boolean }
  /** allows a stream to produce so many further bytes; `window` is what it may be ahead of its reader from now on, `slot` is given back */
  | {
      readonly kind: "credit";
      readonly id: number;
      readonly bytes: number;
      readonly window: number;
      readonly slot: number | null;
    }
  /** nobody reads this slot any more, and its stream is over */
  | { readonly kind: "return"; readonly slot: number }
  | { readonly kind: "cancel"; readonly id: number }
  /** nothing follows: the thread closes its files and ends */
  | { readonly kind: "close" };

/** Messages from a worker to the main thread. Exactly one of result, failure, end and cancelled closes a request. */
export type FromWorker =
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly error: WireError }
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "lent"; readonly id: number; readonly chunk: LentChunk }
  | { readonly kind: "progress"; readonly id: number; readonly value: unknown }
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "cancelled"; readonly id: number };
