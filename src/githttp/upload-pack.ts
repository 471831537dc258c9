import { findDamage } from "../domain/git/packs/find-damage.ts";
import { errorPacket } from "../git/wire/pkt-line.ts";
import type { ProtocolVersion } from "../git/transport/advertise.ts";
import { answerCommand } from "../git/transport/answer-command.ts";
import { defaultFetchLimits } from "../git/transport/fetch-request.ts";
import type { FetchSource } from "../git/transport/fetch-source.ts";
import { parseCommand } from "../git/transport/parse-command.ts";
import { parseFetchRequestV0 } from "../git/transport/parse-fetch-request.ts";
import { resolveFetch } from "../git/transport/resolve-fetch.ts";
import { TooCostly } from "../git/job/errors.ts";
import { PacketReader } from "../git/wire/packet-reader.ts";
import { ProtocolError } from "../git/wire/protocol-error.ts";
import { messageOf } from "../lib/errors.ts";

/** Wants and haves of a request: 250,000 lines of 50 bytes and some. */
const requestBytes = 32 * 1024 * 1024;

/**
 * Reads one request of `git fetch` or `git clone` and answers it: with the list of refs, or a pack. What the client did
 * wrong is told in an `ERR` packet, which git shows its user.
 */
export async function uploadPack(
  source: FetchSource,
  body: AsyncIterable<Uint8Array>,
  version: ProtocolVersion,
): Promise<AsyncGenerator<Uint8Array, void>> {
  try {
    return tellingErrors(await readRequest(source, new PacketReader(body, { totalBytes: requestBytes }), version));
  } catch (error) {
    return refusal(error);
  }
}

async function readRequest(
  source: FetchSource,
  reader: PacketReader,
  version: ProtocolVersion,
): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>> {
  if (version === 2) {
    const command = await parseCommand(reader, source.format, defaultFetchLimits);
    return command === null ? noChunks() : answerCommand(command, source);
  }
  const wanted = await parseFetchRequestV0(reader, source.format, defaultFetchLimits);
  if (wanted === null) {
    return noChunks();
  }
  source.noteClient(wanted.client);
  return source.fetchPack(resolveFetch(wanted.request, await source.listRefs(), source.head, source.format));
}

async function* tellingErrors(
  answer: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  let begun = false;
  try {
    for await (const chunk of answer) {
      begun = true;
      yield chunk;
    }
  } catch (error) {
    // In the middle of an answer the engine has told it already.
    yield* refusal(error, begun ? null : error instanceof TooCostly ? error.message : findDamage(error));
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array, void> {}

/** Anything but a ProtocolError is thrown again, unless there are other words for it: git shows no body of a failed request. */
async function* refusal(error: unknown, words: string | null = null): AsyncGenerator<Uint8Array, void> {
  if (words === null && !(error instanceof ProtocolError)) {
    throw error;
  }
  yield errorPacket(words ?? messageOf(error));
}
