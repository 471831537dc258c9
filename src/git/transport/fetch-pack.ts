import type { Bitset } from "../graph/bitset.ts";
import { peel } from "../graph/peel.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { selectObjects, type Selection } from "../graph/select-objects.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { errorPacket, flushPacket } from "../wire/pkt-line.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { Sideband, sidebandPackets } from "../wire/sideband.ts";
import type { ResolvedFetch } from "./fetch-request.ts";
import { findHistoryBoundary, type HistoryBoundary } from "./history-boundary.ts";
import { negotiateV0, negotiateV2 } from "./negotiate.ts";
import { commitsOf, resolveWants } from "./resolve-wants.ts";
import { streamPackFile } from "./stream-pack-file.ts";
import { writeSelection } from "./write-selection.ts";

const unreadable = "The server failed to read this repository";

/**
 * Answers one fetch: acknowledgments, the boundary of a shallow history, and the pack, as framed chunks of at most
 * about 256 KB that own their buffers. `undefined` comes where others may have their turn during long walks.
 * What the client did wrong ends in an `ERR` packet; a failure of ours (MissingObject, CorruptPack, …) is told to the
 * client in such a packet or, once the pack has begun, on sideband 3, and thrown.
 */
export function* fetchPack(reader: RepositoryReader, fetch: ResolvedFetch): Generator<Uint8Array | undefined, void> {
  const out = new PacketWriter();
  let answer: { common: readonly number[]; wants: readonly number[]; boundary: HistoryBoundary } | null;
  try {
    answer = yield* prepare(reader, fetch, out);
  } catch (error) {
    if (error instanceof ProtocolError) {
      yield errorPacket(error.message);
      return;
    }
    yield errorPacket(`upload-pack: ${unreadable}`);
    throw error;
  }
  if (out.length > 0) {
    yield out.take();
  }
  if (answer === null) {
    return;
  }
  try {
    yield* sendPack(reader, fetch, answer.wants, answer.common, answer.boundary);
  } catch (error) {
    if (fetch.sideband !== 0) {
      yield sidebandPackets(Sideband.error, `${unreadable}\n`, fetch.sideband);
    }
    throw error;
  }
}

/** Everything before the pack, written to `out`; null when no pack follows. */
function* prepare(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  out: PacketWriter,
): Generator<undefined, { common: readonly number[]; wants: readonly number[]; boundary: HistoryBoundary } | null> {
  const { graph } = reader;
  const wants = yield* resolveWants(reader, fetch);
  const commits = commitsOf(reader, wants);
  if (fetch.version === 0) {
    const boundary = findHistoryBoundary(graph, fetch, commits);
    if (fetch.ending === "agreed") {
      return { common: fetch.haves.map((hex) => reader.db.findHex(hex)).filter((position) => position >= 0), wants, boundary };
    }
    if (fetch.deepen !== null) {
      writeBoundary(reader, boundary, out);
      out.flush();
    }
    if (fetch.ending === "end") {
      return null;
    }
    const { common, pack } = negotiateV0(reader, fetch, commits, out);
    return pack ? { common, wants, boundary } : null;
  }
  const { common, pack } = negotiateV2(reader, fetch, commits, out);
  if (!pack) {
    return null;
  }
  const boundary = findHistoryBoundary(graph, fetch, commits);
  if (fetch.deepen !== null || fetch.shallow.length > 0) {
    out.line("shallow-info");
    writeBoundary(reader, boundary, out);
    out.delimiter();
  }
  out.line("packfile");
  return { common, wants, boundary };
}

function writeBoundary({ db }: RepositoryReader, boundary: HistoryBoundary, out: PacketWriter): void {
  for (const position of boundary.shallow) {
    out.line(`shallow ${db.hexAt(position)}`);
  }
  for (const position of boundary.unshallow) {
    out.line(`unshallow ${db.hexAt(position)}`);
  }
}

function* sendPack(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  wants: readonly number[],
  haves: readonly number[],
  boundary: HistoryBoundary,
): Generator<Uint8Array | undefined, void> {
  const { db } = reader;
  // The client holds an unshallowed commit, so that a walk would stop there: its parents are wanted in their own right.
  const below = boundary.unshallow.flatMap((position) => parentsOf(reader, position));
  const steps = selectObjects(reader, { wants: [...wants, ...below], haves, boundary: boundary.sent, knownBoundary: boundary.held });
  const tell = progress(fetch);
  let selection: Selection;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      selection = withTags(reader, fetch, step.value);
      break;
    }
    yield tell(`Selecting objects: ${step.value}\r`, false);
  }
  yield tell(`Selecting objects: ${selection.count}, done.\n`, true);

  // Only a pack that holds each object once can be as long as the set of them all.
  const whole = db.packs.length === 1 && selection.count === db.size && fetch.ofsDelta;
  const pack = whole
    ? streamPackFile(db.packs[0]!, fetch.sideband)
    : writeSelection(db, selection, { sideband: fetch.sideband, ofsDelta: fetch.ofsDelta, thin: fetch.thinPack });
  yield* pack;
  if (fetch.sideband !== 0) {
    yield flushPacket.slice();
  }
}

function parentsOf({ graph }: RepositoryReader, position: number): number[] {
  return Array.from({ length: graph.parentCount(position) }, (_, index) => graph.parentAt(position, index));
}

/** Adds the annotated tags (and tags of tags) of what is sent, for clients that asked for them. */
function withTags({ db }: RepositoryReader, fetch: ResolvedFetch, selection: Selection): Selection {
  let { objects } = selection;
  for (const { oid, peeled } of fetch.tags) {
    const target = db.findHex(peeled);
    const tag = db.findHex(oid);
    if (target >= 0 && tag >= 0 && selection.objects.has(target) && !objects.has(tag)) {
      // The set may belong to the cache of closures.
      const extended: Bitset = objects === selection.objects ? objects.clone() : objects;
      peel(db, tag, (position) => {
        if (selection.known?.has(position) !== true) {
          extended.add(position);
        }
      });
      objects = extended;
    }
  }
  return objects === selection.objects ? selection : { ...selection, objects, count: objects.count() };
}

const progressMilliseconds = 500;

/** Makes progress packets, at most two a second; `undefined` in between and for those who want none. */
function progress(fetch: ResolvedFetch): (text: string, always: boolean) => Uint8Array | undefined {
  let last = performance.now();
  const { sideband } = fetch;
  return (text, always) => {
    if (sideband === 0 || fetch.noProgress || (!always && performance.now() - last < progressMilliseconds)) {
      return undefined;
    }
    last = performance.now();
    return sidebandPackets(Sideband.progress, text, sideband);
  };
}
