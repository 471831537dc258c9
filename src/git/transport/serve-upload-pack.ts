import { errorPacket } from "../wire/pkt-line.ts";
import { PacketReader } from "../wire/packet-reader.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { advertiseCommands, advertiseRefs, type ProtocolVersion } from "./advertise.ts";
import { answerCommand } from "./answer-command.ts";
import { defaultFetchLimits } from "./fetch-request.ts";
import type { FetchSource } from "./fetch-source.ts";
import { noAgreement } from "./negotiate.ts";
import { parseCommand } from "./parse-command.ts";
import { parseHaves, parseWants } from "./parse-fetch-request.ts";
import { resolveFetch } from "./resolve-fetch.ts";

/** Rounds of one conversation: git sends at least 16 haves in each, and gives up after some hundreds that are unknown. */
const maxRounds = 4096;

/**
 * A whole conversation of upload-pack over a connection on which both sides take turns, as over SSH: `input` is what the
 * client sends, what is yielded goes to the client. In protocol v0 and v1 the advertisement comes first, then the
 * negotiation in rounds; in v2 one command after the other until the client has enough.
 * What the client does wrong is told in an `ERR` packet and ends in a thrown ProtocolError. Ending the generator early
 * stops the work at the next chunk; what waits for the engine or the client ends with them.
 */
export async function* serveUploadPack(
  input: AsyncIterable<Uint8Array>,
  source: FetchSource,
  version: ProtocolVersion,
): AsyncGenerator<Uint8Array, void> {
  const reader = new PacketReader(input);
  try {
    if (version === 2) {
      yield advertiseCommands(source);
      for (
        let command = await parseCommand(reader, source.format, defaultFetchLimits);
        command !== null;
        command = await parseCommand(reader, source.format, defaultFetchLimits)
      ) {
        yield* await answerCommand(command, source);
      }
    } else {
      yield* converse(reader, source, version);
    }
  } catch (error) {
    if (error instanceof ProtocolError) {
      yield errorPacket(error.message);
    }
    throw error;
  }
}

async function* converse(reader: PacketReader, source: FetchSource, version: 0 | 1): AsyncGenerator<Uint8Array, void> {
  const { format, head, agent, sessionId } = source;
  const refs = await source.listRefs();
  yield* advertiseRefs({ version, service: "git-upload-pack", format, refs, head, agent, sessionId });
  const wanted = await parseWants(reader, format, defaultFetchLimits);
  if (wanted === null) {
    return;
  }
  source.noteClient(wanted.client);
  const fetch = resolveFetch(wanted.request, refs, head, format);
  if (fetch.deepen !== null) {
    yield* source.fetchPack({ ...fetch, ending: "end" });
  }
  let agreement = noAgreement;
  for (let round = 0; round < maxRounds; round++) {
    const { haves, ending } = await parseHaves(reader, format, defaultFetchLimits);
    if (ending === "end") {
      return;
    }
    const result = await source.negotiate({ fetch: { ...fetch, haves, ending }, earlier: agreement });
    ({ agreement } = result);
    if (agreement.common.length > defaultFetchLimits.haves) {
      break;
    }
    if (result.answer.length > 0) {
      yield result.answer;
    }
    if (result.pack) {
      yield* source.fetchPack({ ...fetch, haves: agreement.common, ending: "agreed" });
      return;
    }
  }
  throw new ProtocolError("git upload-pack: the negotiation does not come to an end");
}
