import type { ObjectFormat } from "../objects/object-format.ts";
import type { Ref } from "../refs/ref.ts";
import type { ClientDescription } from "../wire/capabilities.ts";
import type { ResolvedFetch } from "./fetch-request.ts";
import type { NegotiationRound, RoundResult } from "./negotiate.ts";
import type { ObjectSizesRequest } from "./object-info.ts";

/** A repository as upload-pack needs it: what the database knows of it, and the engine's answers. */
export interface FetchSource {
  readonly format: ObjectFormat;
  /** full name of the default branch */
  readonly head: string;
  /** what the server calls itself, as in `stithy/1.0` */
  readonly agent: string;
  /** names this conversation in logs of both sides; printable and short */
  readonly sessionId: string;
  /** hears, before a request is answered, what the client says of itself */
  noteClient(client: ClientDescription): void;
  /** the refs that the client may see, sorted by name; `prefixes`: what it said that it wants to know, if it did */
  listRefs(prefixes?: readonly string[]): Promise<readonly Ref[]>;
  /** the operation `fetchPack` of the engine, on a view that has what the refs listed before point to; a chunk may be gone when the next is asked for */
  fetchPack(fetch: ResolvedFetch): AsyncIterable<Uint8Array>;
  /** the operation `negotiate` of the engine, on such a view; throws ProtocolError */
  negotiate(round: NegotiationRound): Promise<RoundResult>;
  /** the operation `objectSizes` of the engine, on such a view */
  objectSizes(request: ObjectSizesRequest): Promise<readonly (number | null)[]>;
}
