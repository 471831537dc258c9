import type { ObjectFormat } from "../objects/object-format.ts";
import { isOid } from "../objects/oid.ts";
import { type Capabilities, parseCapabilities } from "../wire/capabilities.ts";
import { PacketReader } from "../wire/packet-reader.ts";
import { packetText } from "../wire/pkt-line.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { requireObjectFormat } from "./parse-fetch-request.ts";
import { wantsReport } from "./push-report.ts";

/** One ref that a push creates (no old oid), moves, or deletes (no new oid). The name is as sent: it may break every rule. */
export interface PushCommand {
  readonly name: string;
  /** hex; null when the client believes that the ref does not exist */
  readonly oldOid: string | null;
  /** hex; null to delete */
  readonly newOid: string | null;
}

export interface PushRequest {
  readonly commands: readonly PushCommand[];
  readonly capabilities: Capabilities;
  readonly pushOptions: readonly string[];
  /** the bytes after the commands: a pack if any command has a new oid, nothing otherwise */
  readonly rest: AsyncIterable<Uint8Array>;
}

export interface PushLimits {
  readonly commands: number;
  /** all that comes before the pack, bytes */
  readonly commandBytes: number;
  readonly pushOptions: number;
  /** longest line, its length digits included */
  readonly lineBytes: number;
  readonly packBytes: number;
  /** for commands and pack to arrive */
  readonly seconds: number;
}

const MiB = 1024 * 1024;

export const defaultPushLimits: PushLimits = {
  commands: 50_000,
  commandBytes: 64 * MiB,
  pushOptions: 64,
  lineBytes: 8192,
  packBytes: 2048 * MiB,
  seconds: 3600,
};

/** Commands that are not taken, from a client that reads a report. */
export class PushUnacceptable extends ProtocolError {
  constructor(
    message: string,
    readonly capabilities: Capabilities,
  ) {
    super(message);
  }
}

/**
 * Reads what comes before the pack of a push: `<old> <new> <name>` lines, the first with capabilities behind a NUL, a
 * flush, then push options and a flush if they were agreed. Without commands (git's probe before a large request) all
 * lists are empty. `shallow` lines are allowed and carry no meaning here: what is missing shows when connectivity is
 * checked. Throws ProtocolError for anything else, for two commands on one name, and for a signed push; it is
 * PushUnacceptable once the client has asked for a report. Source: gitprotocol-pack(5).
 */
export async function parsePushCommands(
  source: AsyncIterable<Uint8Array>,
  format: ObjectFormat,
  limits: PushLimits,
): Promise<PushRequest> {
  const heard: Heard = { capabilities: null, inList: true };
  const reader = new PacketReader(source, { packetBytes: limits.lineBytes, totalBytes: limits.commandBytes });
  try {
    return await readPush(reader, heard, format, limits);
  } catch (error) {
    if (!(error instanceof ProtocolError) || heard.capabilities === null || !wantsReport(heard.capabilities)) {
      throw error;
    }
    if (heard.inList) {
      await readListToItsEnd(reader);
    }
    throw new PushUnacceptable(error.message, heard.capabilities);
  }
}

/** Git dies of a connection that is closed while it writes its list, and then shows no report. Never throws ProtocolError. */
async function readListToItsEnd(reader: PacketReader): Promise<void> {
  try {
    for (let packet = await reader.next(); packet instanceof Uint8Array; packet = await reader.next()) {
      // Its message does not matter any more.
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) {
      throw error;
    }
  }
}

/** The capabilities and marks that the client has sent so far. */
interface Heard {
  capabilities: Capabilities | null;
  /** whether the mark behind the commands, or behind the push options, is still to come */
  inList: boolean;
}

async function readPush(
  reader: PacketReader,
  heard: Heard,
  format: ObjectFormat,
  limits: PushLimits,
): Promise<PushRequest> {
  const commands = new Map<string, PushCommand>();
  let lines = 0;
  for (
    let next = await hearLine(reader, heard);
    !("mark" in next);
    next =
      heard.capabilities === null ? await hearLine(reader, heard) : (reader.readyLine() ?? (await reader.nextLine()))
  ) {
    if (++lines > limits.commands) {
      throw new ProtocolError(`A push of more than ${limits.commands} refs is not accepted`);
    }
    const nul = next.line.indexOf("\0");
    const text = nul < 0 ? next.line : next.line.slice(0, nul);
    if (text === "push-cert" || text.startsWith("push-cert ")) {
      throw new ProtocolError("Signed pushes are not supported: push without --signed");
    }
    if (text.startsWith("shallow ") && isOid(text.slice(8), format)) {
      continue;
    }
    const command = parseCommandLine(text, format);
    if (commands.has(command.name)) {
      throw new ProtocolError(`multiple updates for ref '${command.name}' not allowed`);
    }
    commands.set(command.name, command);
  }
  heard.inList = false;
  const capabilities = heard.capabilities ?? parseCapabilities("");
  if (commands.size > 0) {
    requireObjectFormat(capabilities, format);
  }
  heard.inList = commands.size > 0 && capabilities.has("push-options");
  const pushOptions = heard.inList ? await readPushOptions(reader, limits) : [];
  return { commands: [...commands.values()], capabilities, pushOptions, rest: reader.rest() };
}

/** The next line. Capabilities are read before the text in front of them, so that a name that is no text can be answered. */
async function hearLine(reader: PacketReader, heard: Heard): ReturnType<PacketReader["nextLine"]> {
  const packet = await reader.next();
  if (packet === null || typeof packet === "string") {
    return { mark: packet ?? "end" };
  }
  const nul = packet.indexOf(0);
  heard.capabilities = nul < 0 ? null : parseCapabilities(packetText(packet.subarray(nul + 1)).trimEnd());
  return { line: packetText(packet) };
}

function parseCommandLine(text: string, format: ObjectFormat): PushCommand {
  const oldOid = text.slice(0, format.hexLength);
  const newOid = text.slice(format.hexLength + 1, 2 * format.hexLength + 1);
  const name = text.slice(2 * format.hexLength + 2);
  const spaces = text.charAt(format.hexLength) + text.charAt(2 * format.hexLength + 1);
  if (!isOid(oldOid, format) || !isOid(newOid, format) || spaces !== "  " || name === "") {
    throw new ProtocolError(`protocol error: expected old/new/ref, got '${text.slice(0, 160)}'`);
  }
  return { name, oldOid: oldOid === format.zeroHex ? null : oldOid, newOid: newOid === format.zeroHex ? null : newOid };
}

async function readPushOptions(reader: PacketReader, limits: PushLimits): Promise<string[]> {
  const options: string[] = [];
  for (let next = await reader.nextLine(); !("mark" in next); next = reader.readyLine() ?? (await reader.nextLine())) {
    if (options.length === limits.pushOptions) {
      throw new ProtocolError(`A push with more than ${limits.pushOptions} push options is not accepted`);
    }
    options.push(next.line);
  }
  return options;
}
