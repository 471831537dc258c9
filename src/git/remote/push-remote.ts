import { agentValue, type Capabilities } from "../wire/capabilities.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { PushCommand } from "../transport/push-request.ts";

/**
 * The commands of a push, up to where its pack follows. Throws ProtocolError where the other server does not report or does not delete
 * refs. Source: gitprotocol-pack(5).
 */
export function writePushCommands(
  capabilities: Capabilities,
  format: ObjectFormat,
  commands: readonly PushCommand[],
  agent: string,
): Uint8Array {
  if (!capabilities.has("report-status")) {
    throw new ProtocolError("The other server does not tell what becomes of a push");
  }
  if (!capabilities.has("delete-refs") && commands.some(({ newOid }) => newOid === null)) {
    throw new ProtocolError("The other server lets nobody delete refs");
  }
  const words = [
    "report-status",
    ...(capabilities.has("object-format") ? [`object-format=${format.name}`] : []),
    ...(capabilities.has("agent") ? [`agent=${agentValue(agent)}`] : []),
  ];
  const out = new PacketWriter();
  commands.forEach(({ name, oldOid, newOid }, index) => {
    const line = `${oldOid ?? format.zeroHex} ${newOid ?? format.zeroHex} ${name}`;
    out.line(index === 0 ? `${line}\0 ${words.join(" ")}` : line);
  });
  return out.flush().take();
}

/**
 * Returns the refs that the other server refused, by name; empty if it accepted all. Throws ProtocolError if it
 * accepted nothing.
 */
export async function readPushReport(reader: PacketReader): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  let unpacked = false;
  for (let next = await reader.nextLine(); !("mark" in next); next = await reader.nextLine()) {
    const { line } = next;
    const [word = "", name = ""] = line.split(" ", 2);
    const rest = line.slice(word.length + name.length + 2);
    if (word === "unpack") {
      if (name !== "ok") {
        throw new ProtocolError(`The other server could not take the push: ${line.slice("unpack ".length, 200)}`);
      }
      unpacked = true;
    } else if (word === "ng") {
      refused.set(name, rest.slice(0, 200));
    } else if (word === "ERR") {
      throw new ProtocolError(`The other server says: ${line.slice(4, 204)}`);
    } else if (word !== "ok" && word !== "option") {
      throw new ProtocolError("The other server's report of the push cannot be read");
    }
  }
  if (!unpacked) {
    throw new ProtocolError("The other server did not tell what became of the push");
  }
  return refused;
}
