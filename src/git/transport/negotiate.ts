import { Bitset } from "../graph/bitset.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { peel } from "../graph/peel.ts";
import { allReach } from "../graph/reachability.ts";
import { ObjectType } from "../objects/object-type.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import type { ResolvedFetch } from "./fetch-request.ts";
import { findVisible, type VisibleObjects } from "./find-visible.ts";
import { commitsOf, resolveWants } from "./resolve-wants.ts";

/** The commits that both sides have, and whether they are enough to begin. */
class CommonGround {
  readonly positions: number[] = [];
  readonly #commits: Bitset;
  #oldest = Number.POSITIVE_INFINITY;
  /** the last answer of `suffices`; null once more became common */
  #suffices: boolean | null = null;

  constructor(
    private readonly reader: RepositoryReader,
    /** the wants that are commits */
    private readonly wants: readonly number[],
    private readonly visible: VisibleObjects,
  ) {
    this.#commits = new Bitset(reader.db.size);
  }

  /** Takes note of a have; false when it is not an object of ours, for this client. */
  add(hex: string): boolean {
    const { db, graph } = this.reader;
    const position = this.visible.get(hex);
    if (position === undefined) {
      return false;
    }
    this.positions.push(position);
    const end = peel(db, position);
    if (end.type === ObjectType.commit) {
      this.#commits.add(end.position);
      // A want below a common commit is common itself; git looks one commit deep as well.
      for (let index = graph.parentCount(end.position) - 1; index >= 0; index--) {
        this.#commits.add(graph.parentAt(end.position, index));
      }
      this.#oldest = Math.min(this.#oldest, graph.dateOf(end.position));
      this.#suffices = null;
    }
    return true;
  }

  /** Whether every want reaches something common, so that more haves would change little. */
  suffices(): boolean {
    if (this.positions.length === 0) {
      return false;
    }
    this.#suffices ??= allReach(this.reader.graph, this.wants, this.#commits, this.#oldest);
    return this.#suffices;
  }
}

/** The result of a negotiation: the common haves, and whether the pack follows now. */
export interface Negotiated {
  readonly common: readonly number[];
  readonly pack: boolean;
}

/** A request as positions of this repository. */
export interface NegotiationPlaces {
  /** the wants that are commits */
  readonly wants: readonly number[];
  /** the haves that count, those of earlier rounds included */
  readonly visible: VisibleObjects;
}

/**
 * The result of earlier rounds of one conversation. Over stateless HTTP there are none, because a client sends
 * everything again.
 */
export interface Agreement {
  /** common haves in the order in which they were acknowledged, hex */
  readonly common: readonly string[];
  /** whether the client was told that more haves are not needed */
  readonly ready: boolean;
}

export const noAgreement: Agreement = { common: [], ready: false };

/**
 * v0 and v1: each have is acknowledged as the agreed mode says, a flush with NAK, `done` with the last ACK. `multi_ack`
 * says `continue` for common haves, `multi_ack_detailed` says `common`, and `ready` when nothing more is needed.
 * The answer includes what was agreed in `earlier` rounds. Source: gitprotocol-pack(5).
 */
export function negotiateV0(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  { wants, visible }: NegotiationPlaces,
  out: PacketWriter,
  earlier: Agreement = noAgreement,
): Negotiated & { readonly agreement: Agreement } {
  const ground = new CommonGround(reader, wants, visible);
  const common = earlier.common.filter((hex) => ground.add(hex));
  const before = common.length;
  const multi = fetch.acknowledge !== "single";
  const detailed = fetch.acknowledge === "detailed";
  let unknown = false;
  let { ready } = earlier;
  for (const hex of fetch.haves) {
    if (ground.add(hex)) {
      common.push(hex);
      if (multi || common.length === 1) {
        out.line(`ACK ${hex}${detailed ? " common" : multi ? " continue" : ""}`);
      }
    } else {
      unknown = true;
      if (multi && ground.suffices()) {
        ready ||= detailed;
        out.line(`ACK ${hex} ${detailed ? "ready" : "continue"}`);
      }
    }
  }
  const last = common.at(-1) ?? "";
  const answer = (pack: boolean) => ({ common: ground.positions, pack, agreement: { common, ready } });
  if (fetch.ending === "done") {
    if (common.length === 0) {
      out.line("NAK");
    } else if (multi) {
      out.line(`ACK ${last}`);
    }
    return answer(true);
  }
  if (detailed && common.length > before && !unknown && ground.suffices()) {
    ready = true;
    out.line(`ACK ${last} ready`);
  }
  if (common.length === 0 || multi) {
    out.line("NAK");
  }
  if (fetch.noDone && ready) {
    out.line(`ACK ${last}`);
    return answer(true);
  }
  return answer(false);
}

export interface NegotiationRound {
  /** its haves and ending are those of this round */
  readonly fetch: ResolvedFetch;
  readonly earlier: Agreement;
}

export interface RoundResult {
  /** packets for the client */
  readonly answer: Uint8Array;
  readonly agreement: Agreement;
  /** whether the pack follows now */
  readonly pack: boolean;
}

/** One round of a conversation in protocol v0 or v1 whose state the caller keeps. Throws ProtocolError, MissingObject, CorruptObject. */
export function* negotiateRound(
  reader: RepositoryReader,
  { fetch, earlier }: NegotiationRound,
): Generator<undefined, RoundResult> {
  const wants = yield* resolveWants(reader, fetch);
  const commits = commitsOf(reader, wants);
  const visible = yield* findVisible(reader, fetch.tips, commits, [...earlier.common, ...fetch.haves]);
  const out = new PacketWriter();
  const { agreement, pack } = negotiateV0(reader, fetch, { wants: commits, visible }, out, earlier);
  return { answer: out.take(), agreement, pack };
}

/**
 * v2: with `done` or without haves the pack follows at once; else the common haves are acknowledged, and it follows in
 * the same answer after `ready`. Source: gitprotocol-v2(5).
 */
export function negotiateV2(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  { wants, visible }: NegotiationPlaces,
  out: PacketWriter,
): Negotiated {
  const ground = new CommonGround(reader, wants, visible);
  const acknowledged = fetch.haves.filter((hex) => ground.add(hex));
  const common = ground.positions;
  if (fetch.ending === "done" || fetch.haves.length === 0) {
    return { common, pack: fetch.wants.length > 0 };
  }
  out.line("acknowledgments");
  if (acknowledged.length === 0) {
    out.line("NAK");
  }
  for (const hex of acknowledged) {
    out.line(`ACK ${hex}`);
  }
  if (!fetch.waitForDone && ground.suffices()) {
    out.line("ready").delimiter();
    return { common, pack: true };
  }
  out.flush();
  return { common, pack: false };
}
