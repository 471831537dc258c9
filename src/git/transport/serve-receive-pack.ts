import { join } from "node:path";
import { StithyError } from "../../lib/errors.ts";
import { readWithin } from "../../lib/read-within.ts";
import { ScratchDirectory } from "../../lib/scratch-directory.ts";
import { describeClient } from "../wire/capabilities.ts";
import { advertiseRefs, type ProtocolVersion } from "./advertise.ts";
import { Notices, withKeepalive } from "./keepalive.ts";
import { writePushKeepalive, writePushMessage, writePushReport, type PushReport } from "./push-report.ts";
import { parsePushCommands, PushUnacceptable, type PushRequest } from "./push-request.ts";
import type { PushTarget, ReceivedPush, TellPusher } from "./push-target.ts";
import { spoolPack } from "./spool-pack.ts";
import { untilPackEnds } from "./until-pack-ends.ts";

const keepaliveMs = 5000;
/** Why a pack is not taken though its sender did nothing that breaks the protocol. */
const refusals = new Set(["pack-too-large", "quota-exceeded", "storage-full"]);

/** A push does not come to its end in time. */
export class PushTooSlow extends StithyError {
  constructor(seconds: number) {
    super("too-slow", "push-too-slow", `The push did not arrive within ${seconds} seconds`, { seconds });
  }
}

/**
 * A whole conversation of receive-pack over a connection on which both sides take turns, as over SSH: the advertisement,
 * then what `receivePush` does. `input` is what the client sends, what is yielded goes to the client. There is no v2 of
 * this; who asks for it gets v0.
 */
export async function* serveReceivePack(
  input: AsyncIterable<Uint8Array>,
  target: PushTarget,
  version: ProtocolVersion,
): AsyncGenerator<Uint8Array, void> {
  const { format, agent, sessionId } = target;
  const refs = await target.listRefs();
  yield* advertiseRefs({
    version: version === 1 ? 1 : 0,
    service: "git-receive-pack",
    format,
    refs,
    head: "",
    agent,
    sessionId,
  });
  const answer = await receivePush(input, target, "stays open");
  if (answer !== null) {
    yield* answer;
  }
}

/**
 * Takes a push: reads the commands, spools the pack to a file and hands both to the target, which goes on whether or not
 * anybody reads the answer. That is the report; while it is awaited, a keepalive every five seconds. null for a push
 * without commands. `connection` says whether the input ends behind the pack; `onWritten` is called with each chunk of the
 * pack that is not needed any more. Throws, before anything is taken, PushTooSlow, and
 * ProtocolError for commands that cannot be read from a client that takes no report; everything else is told in the report.
 */
export async function receivePush(
  input: AsyncIterable<Uint8Array>,
  target: PushTarget,
  connection: "ends" | "stays open" = "ends",
  onWritten?: (chunk: Uint8Array) => void,
): Promise<AsyncGenerator<Uint8Array, void> | null> {
  const { limits, format } = target;
  const inTime = readWithin(input, limits.seconds * 1000, () => new PushTooSlow(limits.seconds));
  let request: PushRequest;
  let spooled: Spooled | { refusal: string };
  try {
    request = await parsePushCommands(inTime, format, limits);
    if (request.commands.length === 0) {
      return null;
    }
    target.noteClient(describeClient(request.capabilities));
    spooled = await spool(
      request,
      connection === "ends" ? request.rest : untilPackEnds(request.rest, format),
      target,
      onWritten,
    );
  } catch (error) {
    // Git shows neither the text of a status 400 nor why a connection ends, but what a report says.
    if (error instanceof PushUnacceptable) {
      return only(writePushReport({ unpackError: error.message, refs: [] }, error.capabilities));
    }
    throw error;
  } finally {
    await inTime.return(undefined);
  }
  const { commands, capabilities, pushOptions } = request;
  const notices = new Notices();
  const report: Promise<PushReport> =
    "refusal" in spooled
      ? Promise.resolve({
          unpackError: spooled.refusal,
          refs: commands.map(({ name }) => ({ name, error: "unpacker error" })),
        })
      : take(
          target,
          { commands, packPath: spooled.path, atomic: capabilities.has("atomic"), pushOptions },
          spooled,
          (text, kind) => notices.add(writePushMessage(text, capabilities, kind)),
        );
  const answer = report.then((result) => writePushReport(result, capabilities));
  return withKeepalive(answer, writePushKeepalive(capabilities), keepaliveMs, notices);
}

async function* only(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield chunk;
}

/** A pack in a directory of its own, with whatever is made of it; null for both when there is none. */
interface Spooled {
  readonly path: string | null;
  readonly scratch: ScratchDirectory | null;
}

/** Lets the target take a push, and removes then what is left of it. */
async function take(
  target: PushTarget,
  push: ReceivedPush,
  { scratch }: Spooled,
  tell: TellPusher,
): Promise<PushReport> {
  await using _ = scratch;
  return await target.take(push, tell);
}

/** Writes the pack to a file; no file when the push only deletes. A pack over the limit, or too large for the disk, is not read further. */
async function spool(
  { commands }: PushRequest,
  pack: AsyncIterable<Uint8Array>,
  { temporaryDirectory, limits, findRoom }: PushTarget,
  onWritten?: (chunk: Uint8Array) => void,
): Promise<Spooled | { refusal: string }> {
  if (commands.every((command) => command.newOid === null)) {
    return { path: null, scratch: null };
  }
  await using stack = new AsyncDisposableStack();
  const scratch = stack.use(await ScratchDirectory.make(temporaryDirectory));
  const path = join(scratch.path, "received.pack");
  try {
    const room = await findRoom?.();
    await spoolPack(pack, path, { packBytes: limits.packBytes, ...(room === undefined ? {} : { room }) }, onWritten);
    stack.move();
    return { path, scratch };
  } catch (error) {
    if (!(error instanceof StithyError && refusals.has(error.code))) {
      throw error;
    }
    return { refusal: error.message };
  }
}
