import type { ObjectFormat } from "../objects/object-format.ts";
import { type ClientDescription, describeClient, parseCapabilities } from "../wire/capabilities.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { FetchLimits, FetchRequest } from "./fetch-request.ts";
import { type ObjectInfoRequest, parseObjectInfoArguments } from "./object-info.ts";
import { type LsRefsRequest, parseLsRefsArguments } from "./ls-refs.ts";
import { parseFetchArguments, requireObjectFormat } from "./parse-fetch-request.ts";

/** One command of protocol v2. */
export type Command = { readonly client: ClientDescription } & AnyCommand;

type AnyCommand =
  | { readonly command: "ls-refs"; readonly request: LsRefsRequest }
  | { readonly command: "fetch"; readonly request: FetchRequest }
  | { readonly command: "object-info"; readonly request: ObjectInfoRequest };

/** Capabilities that a client may send beside the command, because the server advertised them. */
const knownCapabilities: ReadonlySet<string> = new Set(["command", "agent", "object-format", "session-id"]);

/**
 * Reads `command=…`, its capabilities and its arguments; null at the end of the conversation (a flush or the end of
 * the stream). Over SSH it is called again for each command. Throws ProtocolError. Source: gitprotocol-v2(5).
 */
export async function parseCommand(
  reader: PacketReader,
  format: ObjectFormat,
  limits: FetchLimits,
): Promise<Command | null> {
  const words: string[] = [];
  let next = await reader.nextLine();
  for (; "line" in next; next = await reader.nextLine()) {
    words.push(next.line);
    if (words.length > 256) {
      throw new ProtocolError("A command with more than 256 capabilities is not accepted");
    }
  }
  if (words.length === 0) {
    return null;
  }
  const capabilities = parseCapabilities(words);
  requireObjectFormat(capabilities, format);
  const unknown = capabilities.names().find((name) => !knownCapabilities.has(name));
  if (unknown !== undefined) {
    throw new ProtocolError(`unknown capability '${unknown.slice(0, 80)}'`);
  }
  const client = describeClient(capabilities);
  const command = capabilities.find("command");
  if (capabilities.all("command").length > 1) {
    throw new ProtocolError("A request can hold only one command");
  }
  // After a flush there are no arguments, and what follows belongs to the next command.
  const args = next.mark === "delimiter" ? reader : null;
  if (command === "ls-refs") {
    return { command, client, request: await parseLsRefsArguments(args) };
  }
  if (command === "fetch" && args !== null) {
    return { command, client, request: await parseFetchArguments(args, format, limits) };
  }
  if (command === "object-info") {
    return { command, client, request: await parseObjectInfoArguments(args, format, limits.wants) };
  }
  throw new ProtocolError(command === null ? "no command requested" : `invalid command '${command.slice(0, 80)}'`);
}
