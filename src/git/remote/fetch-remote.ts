import { agentValue, type Capabilities } from "../wire/capabilities.ts";
import type { PacketReader } from "../wire/packet-reader.ts";
import { PacketWriter } from "../wire/packet-writer.ts";
import { ProtocolError } from "../wire/protocol-error.ts";
import { packetText } from "../wire/pkt-line.ts";
import { Sideband } from "../wire/sideband.ts";

/** A request to upload-pack: oids in hexadecimal. */
export interface RemoteWants {
  readonly wants: readonly string[];
  /** what we have already; more than some thousand say nothing new */
  readonly haves: readonly string[];
  readonly agent: string;
}

/** Haves in one request: a server looks each up. */
const mostHaves = 4096;

/**
 * A request for a pack in protocol v0, without negotiation: a server that follows a repository has what the refs
 * pointed to before. Throws ProtocolError where the other server lacks the sideband. Source: gitprotocol-pack(5).
 */
export function writeFetchRequest(capabilities: Capabilities, { wants, haves, agent }: RemoteWants): Uint8Array {
  if (!capabilities.has("side-band-64k")) {
    throw new ProtocolError("The other server does not speak side-band-64k");
  }
  const asked = ["side-band-64k", "ofs-delta", ...(haves.length > 0 ? ["thin-pack"] : [])].filter((name) =>
    capabilities.has(name),
  );
  const format = capabilities.find("object-format");
  const words = [
    ...asked,
    ...(format === null ? [] : [`object-format=${format}`]),
    ...(capabilities.has("agent") ? [`agent=${agentValue(agent)}`] : []),
  ];
  const out = new PacketWriter();
  wants.forEach((oid, index) => out.line(index === 0 ? `want ${oid} ${words.join(" ")}` : `want ${oid}`));
  out.flush();
  haves.slice(0, mostHaves).forEach((oid) => out.line(`have ${oid}`));
  return out.line("done").take();
}

/** The bytes of the pack in the answer. Throws ProtocolError, with what the other server says where it gives up. */
export async function* readFetchAnswer(reader: PacketReader): AsyncGenerator<Uint8Array> {
  for (let packet = await reader.next(); packet !== null; packet = await reader.next()) {
    if (typeof packet === "string") {
      if (packet === "flush") {
        return;
      }
      throw new ProtocolError(`The answer has a mark (${packet}) in the wrong place`);
    }
    switch (packet[0]) {
      case Sideband.data:
        // The reader uses its memory again.
        yield packet.slice(1);
        break;
      case Sideband.progress:
        break;
      case Sideband.error:
        throw new ProtocolError(`The other server says: ${lenientText(packet.subarray(1))}`);
      default:
        checkAcknowledgement(packetText(packet));
    }
  }
  throw new ProtocolError("The pack ended early");
}

function checkAcknowledgement(line: string): void {
  if (line.startsWith("ERR ")) {
    throw new ProtocolError(`The other server says: ${line.slice(4, 204)}`);
  }
  if (line !== "" && line !== "NAK" && !line.startsWith("ACK ") && !line.startsWith("shallow ")) {
    throw new ProtocolError("The answer is none of upload-pack");
  }
}

function lenientText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 200)).trim();
}
