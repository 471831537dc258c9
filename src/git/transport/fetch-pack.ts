import type { Bitset } from "../graph/bitset.ts";
import { FilterTooCostly } from "../graph/filter-too-costly.ts";
import type { ObjectFilter } from "../graph/object-filter.ts";
import { peel } from "../graph/peel.ts";
import type { RepositoryReader } from "../graph/repository-reader.ts";
import { selectObjects, type Selection } from "../graph/select-objects.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { errorPacket, flushPacket } from "../wire/pkt-line.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { Sideband, sidebandPackets, type SidebandSize } from "../wire/sideband.ts";
import type { ResolvedFetch } from "./fetch-request.ts";
import { findVisible } from "./find-visible.ts";
import { findHistoryBoundary, type HistoryBoundary } from "./history-boundary.ts";
import { negotiateV0, negotiateV2 } from "./negotiate.ts";
import { RecipeNotes, sendRecipe, type PackRecipe } from "./pack-recipe.ts";
import { readFilter } from "./read-filter.ts";
import { commitsOf, resolveWants } from "./resolve-wants.ts";
import { storedBytes } from "./selected-places.ts";
import { streamPackFile } from "./stream-pack-file.ts";
import { writeSelection } from "./write-selection.ts";

/** The objects that the pack must hold and may assume; all are positions. */
interface Order {
  readonly wants: readonly number[];
  readonly common: readonly number[];
  readonly boundary: HistoryBoundary;
  readonly filter: ObjectFilter | null;
}

interface Sending {
  readonly pieceBytes: () => number;
  /** what was sent before the pack */
  readonly head: readonly Uint8Array[];
  readonly keeper: AnswerKeeper | null;
}

/**
 * The data before the pack of a response, and how to send that pack again. The next equal request needs nothing else.
 */
export interface KnownAnswer {
  readonly head: readonly Uint8Array[];
  /** one of those of the database, by its number there, as it lies on disk; or parts of them */
  readonly pack: number | PackRecipe;
}

/** Someone who keeps answers for those who ask for the same. */
export interface AnswerKeeper {
  /**
   * Told before a pack is made how many bytes it will have at least, about; null where new deltas may make it any smaller.
   * Whether it is to be noted what it consists of.
   */
  wantsRecipe(leastBytes: number | null): boolean;
  /** Takes what `sendKnown` needs to do the same again. */
  keep(answer: KnownAnswer): void;
}

const none = new Uint8Array(0);
const unreadable = "The server failed to read this repository";

/**
 * Answers one fetch: acknowledgments, the boundary of a shallow history, and the pack, as framed chunks of about
 * as many bytes as `pieceBytes` says when each is begun. `undefined` comes where others may have their turn during long walks.
 * `keeper` gets the answer before the first bytes of a pack that is sent as it lies on disk, after the last ones of one that
 * was made, if it wanted that and it was not made of very many parts.
 * What the client did wrong ends in an `ERR` packet; a failure of ours (MissingObject, CorruptPack, …) is told to the
 * client in such a packet or, once the pack has begun, on sideband 3, and thrown.
 */
export function* fetchPack(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  pieceBytes: () => number,
  keeper: AnswerKeeper | null = null,
): Generator<Uint8Array | undefined, void> {
  const out = new PacketWriter(fetch.sidebandAll ? Sideband.data : null);
  let order: Order | null;
  try {
    order = yield* prepare(reader, fetch, out);
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof FilterTooCostly) {
      yield errorPacket(error.message);
      return;
    }
    yield errorPacket(`upload-pack: ${unreadable}`);
    throw error;
  }
  const head = out.length === 0 ? [] : [out.take()];
  yield* head;
  if (order === null) {
    return;
  }
  // Thousands of oids, which would stay as long as the client reads.
  fetch = { ...fetch, wants: none, haves: [], shallow: [], unadvertised: none, tips: none };
  yield* tellingFailures(
    fetch.sideband,
    withFlush(sendPack(reader, fetch, order, { pieceBytes, head, keeper }), fetch.sideband),
  );
}

/** Gives an answer again that was told to `onKnown`, for the same request with this sideband and the same packs. */
export function* sendKnown(
  { db }: RepositoryReader,
  { head, pack }: KnownAnswer,
  sideband: SidebandSize,
  pieceBytes: () => number,
): Generator<Uint8Array | undefined, void> {
  yield* head;
  const steps =
    typeof pack === "number"
      ? streamPackFile(db.packs[pack]!, sideband, pieceBytes)
      : sendRecipe(db, pack, sideband, pieceBytes);
  yield* tellingFailures(sideband, withFlush(steps, sideband));
}

function* tellingFailures(
  sideband: SidebandSize,
  steps: Generator<Uint8Array | undefined, void>,
): Generator<Uint8Array | undefined, void> {
  try {
    yield* steps;
  } catch (error) {
    const refused = error instanceof FilterTooCostly;
    if (sideband !== 0) {
      yield sidebandPackets(Sideband.error, `${refused ? error.message : unreadable}\n`, sideband);
    }
    if (!refused) {
      throw error;
    }
  }
}

function* withFlush(
  pack: Generator<Uint8Array | undefined, void>,
  sideband: SidebandSize,
): Generator<Uint8Array | undefined, void> {
  yield* pack;
  if (sideband !== 0) {
    yield flushPacket.slice();
  }
}

/** Everything before the pack, written to `out`; null when no pack follows. */
function* prepare(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  out: PacketWriter,
): Generator<undefined, Order | null> {
  const { graph } = reader;
  const wants = yield* resolveWants(reader, fetch);
  const commits = commitsOf(reader, wants);
  const filter = yield* readFilter(reader, fetch);
  const visible = yield* findVisible(reader, fetch.tips, commits, [...fetch.haves, ...fetch.shallow]);
  const places = { wants: commits, visible };
  if (fetch.version === 0) {
    const boundary = findHistoryBoundary(graph, fetch, places);
    if (fetch.ending === "agreed") {
      return { common: fetch.haves.flatMap((hex) => visible.get(hex) ?? []), wants, boundary, filter };
    }
    if (fetch.deepen !== null) {
      writeBoundary(reader, boundary, out);
      out.flush();
    }
    if (fetch.ending === "end") {
      return null;
    }
    // Commits below the client's old boundary are wanted as well, and haves above it say nothing about them. Clients
    // before git 1.9 fail if they get `ready` while they deepen over HTTP.
    const below = parentsOf(reader, boundary.unshallow);
    const { common, pack } = negotiateV0(reader, fetch, { ...places, wants: [...commits, ...below] }, out);
    return pack ? { common, wants, boundary, filter } : null;
  }
  const { common, pack } = negotiateV2(reader, fetch, places, out);
  if (!pack) {
    return null;
  }
  const boundary = findHistoryBoundary(graph, fetch, places);
  if (fetch.deepen !== null || fetch.shallow.length > 0) {
    out.line("shallow-info");
    writeBoundary(reader, boundary, out);
    out.delimiter();
  }
  if (fetch.wantedRefs.length > 0) {
    out.line("wanted-refs");
    fetch.wantedRefs.forEach(({ name, oid }) => out.line(`${oid} ${name}`));
    out.delimiter();
  }
  out.line("packfile");
  return { common, wants, boundary, filter };
}

/** These lines have no line feed, so git's own server writes them. */
function writeBoundary({ db }: RepositoryReader, boundary: HistoryBoundary, out: PacketWriter): void {
  const write = (word: string, positions: readonly number[]): void =>
    positions.forEach((position) => out.data(Buffer.from(`${word} ${db.hexAt(position)}`)));
  write("shallow", boundary.shallow);
  write("unshallow", boundary.unshallow);
}

function* sendPack(
  reader: RepositoryReader,
  fetch: ResolvedFetch,
  order: Order,
  { pieceBytes, head, keeper }: Sending,
): Generator<Uint8Array | undefined, void> {
  const { db } = reader;
  const { wants, common, boundary, filter } = order;
  // The client holds an unshallowed commit, so that a walk would stop there: its parents are wanted in their own right.
  const below = parentsOf(reader, boundary.unshallow);
  const haves = [...common, ...boundary.unshallow];
  const steps = selectObjects(reader, {
    wants,
    below,
    haves,
    boundary: boundary.sent,
    knownBoundary: boundary.held,
    filter,
  });
  const tell = progress(fetch);
  let selection: Selection;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      selection = withTags(reader, fetch, step.value);
      break;
    }
    yield tell(() => `Counting objects: ${step.value}\r`, false);
  }
  const { count } = selection;
  const counted = tell(() => `Counting objects: ${count}, done.\n`, true);
  yield counted;

  const knownHead = counted === undefined ? head : [...head, counted];
  const whole = fetch.ofsDelta ? findWhole(db, selection) : -1;
  if (whole >= 0) {
    keeper?.keep({ head: knownHead, pack: whole });
    yield* streamPackFile(db.packs[whole]!, fetch.sideband, pieceBytes);
    return;
  }
  using notes =
    keeper?.wantsRecipe(selection.origins.size === 0 ? storedBytes(db, selection) : null) === true
      ? new RecipeNotes(db.packs)
      : null;
  const writing = { sideband: fetch.sideband, ofsDelta: fetch.ofsDelta, thin: fetch.thinPack, pieceBytes, notes };
  let written = 0;
  for (const chunk of writeSelection(db, selection, { ...writing, onWritten: (objects) => (written = objects) })) {
    yield tell(() => `Compressing objects: ${Math.floor((100 * written) / count)}% (${written}/${count})\r`, false);
    yield chunk;
  }
  yield tell(() => `Compressing objects: 100% (${count}/${count}), done.\n`, true);
  const recipe = notes?.finish() ?? null;
  if (recipe !== null) {
    keeper?.keep({ head: knownHead, pack: recipe });
  }
}

/** The number of the one pack that holds exactly what is selected, as maintenance makes it; -1 where none does. */
function findWhole(db: ObjectDatabase, { objects, count }: Selection): number {
  return db.packs.findIndex(({ entryCount }, candidate) => {
    const start = db.startOf(candidate);
    let selected = entryCount === count;
    for (let position = start; selected && position < start + count; position++) {
      selected = objects.has(position);
    }
    return selected;
  });
}

function parentsOf({ graph }: RepositoryReader, commits: readonly number[]): number[] {
  return commits.flatMap((position) =>
    Array.from({ length: graph.parentCount(position) }, (_, index) => graph.parentAt(position, index)),
  );
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
function progress(fetch: ResolvedFetch): (text: () => string, always: boolean) => Uint8Array | undefined {
  let last = performance.now();
  const { sideband } = fetch;
  return (text, always) => {
    if (sideband === 0 || fetch.noProgress || (!always && performance.now() - last < progressMilliseconds)) {
      return undefined;
    }
    last = performance.now();
    return sidebandPackets(Sideband.progress, text(), sideband);
  };
}
