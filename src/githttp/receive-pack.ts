import { join } from "node:path";
import type { Actor, RepositoryAccess } from "../auth/subject.ts";
import type { Forge } from "../domain/forge.ts";
import { push, type PushOutcome } from "../domain/refs/push.ts";
import { objectFormat } from "../git/objects/object-format.ts";
import { defaultPushLimits, parsePushCommands, type PushRequest } from "../git/transport/push-request.ts";
import { writePushKeepalive, writePushReport } from "../git/transport/push-report.ts";
import { spoolPack } from "../git/transport/spool-pack.ts";
import { StithyError } from "../lib/errors.ts";
import { answerWithKeepalive } from "./answer-with-keepalive.ts";

const keepaliveMs = 5000;
/** Why a pack is not taken though its sender did nothing that breaks the protocol. */
const refusals = new Set(["pack-too-large", "storage-full"]);
const nothing = new Uint8Array(0);

/**
 * Takes a push: reads the commands, spools the pack to a file, has it indexed and the refs moved, and reports.
 * While that works a keepalive goes out every five seconds. Throws ProtocolError for commands that cannot be read;
 * everything later is told in the report.
 */
export async function receivePack(
  forge: Forge,
  repository: RepositoryAccess,
  actor: Actor,
  body: AsyncIterable<Uint8Array>,
): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>> {
  const limits = { ...defaultPushLimits, commands: forge.config.git.refs_per_push };
  const request = await parsePushCommands(body, objectFormat(repository.repository.objectFormat), limits);
  if (request.commands.length === 0) {
    return nothing;
  }
  const spooled = await spool(forge, request);
  const outcome =
    "error" in spooled
      ? Promise.resolve(refuseAll(request, spooled.error))
      : push(forge, { repository, pusher: { kind: "user", actor }, commands: request.commands, packPath: spooled.path, atomic: request.capabilities.has("atomic") });
  const report = outcome.then((result) => writePushReport(result, request.capabilities));
  return answerWithKeepalive(report, writePushKeepalive(request.capabilities), keepaliveMs);
}

function refuseAll(request: PushRequest, reason: string): PushOutcome {
  return { unpackError: reason, refs: request.commands.map(({ name }) => ({ name, error: "unpacker error" })) };
}

/** Writes the pack to a file; null when the push only deletes. A pack over the limit, or too large for the disk, is not read further. */
async function spool(forge: Forge, request: PushRequest): Promise<{ path: string | null } | { error: string }> {
  if (request.commands.every((command) => command.newOid === null)) {
    return { path: null };
  }
  const path = join(forge.temporaryDirectory, `push-${crypto.randomUUID()}.pack`);
  try {
    await spoolPack(request.rest, path, { packBytes: forge.config.git.push_limit_bytes });
    return { path };
  } catch (error) {
    if (!(error instanceof StithyError && refusals.has(error.code))) {
      throw error;
    }
    return { error: error.message };
  }
}
