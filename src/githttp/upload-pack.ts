import { describeError } from "../db/pg-errors.ts";
import type { Forge } from "../domain/forge.ts";
import type { RepositoryAccess } from "../auth/subject.ts";
import { objectFormat } from "../git/objects/object-format.ts";
import { type ProtocolVersion } from "../git/transport/advertise.ts";
import { defaultFetchLimits, type FetchRequest } from "../git/transport/fetch-request.ts";
import { writeRefs } from "../git/transport/ls-refs.ts";
import { parseCommand } from "../git/transport/parse-command.ts";
import { parseFetchRequestV0 } from "../git/transport/parse-fetch-request.ts";
import { resolveFetch } from "../git/transport/resolve-fetch.ts";
import { PacketReader } from "../git/wire/packet-reader.ts";
import { pullStream, reportingFailures } from "./streams.ts";

/** Wants and haves of a request: 250,000 lines of 50 bytes and some. */
const requestBytes = 32 * 1024 * 1024;

const nothing = new Uint8Array(0);

/** Answers one request of `git fetch` or `git clone`: the list of refs, or a pack. Throws ProtocolError. */
export async function uploadPack(
  forge: Forge,
  access: RepositoryAccess,
  body: AsyncIterable<Uint8Array>,
  version: ProtocolVersion,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>> {
  const { repository } = access;
  const format = objectFormat(repository.objectFormat);
  const reader = new PacketReader(body, { totalBytes: requestBytes });
  if (version < 2) {
    const request = await parseFetchRequestV0(reader, format, defaultFetchLimits);
    return request === null ? nothing : fetchPack(forge, access, request, signal);
  }
  const command = await parseCommand(reader, format, defaultFetchLimits);
  if (command === null) {
    return nothing;
  }
  if (command.command === "fetch") {
    return fetchPack(forge, access, command.request, signal);
  }
  return pullStream(writeRefs(command.request, await forge.refs.listRefs(repository.id), `refs/heads/${repository.defaultBranch}`));
}

async function fetchPack(forge: Forge, access: RepositoryAccess, request: FetchRequest, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  // The refs first: a pack that arrives in between is then in the view, never the other way round.
  const refs = await forge.refs.listRefs(access.repository.id);
  const view = await forge.views.current(access.repository);
  return reportingFailures(forge.git.stream(view, "fetchPack", resolveFetch(request, refs), signal), (error) => {
    if (!signal.aborted) {
      forge.log.error({ repository: access.repository.id, ...describeError(error) }, "A fetch failed");
    }
  });
}
