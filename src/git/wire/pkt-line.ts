import { ProtocolError } from "./protocol-error.ts";

/*
 * pkt-line: four hex digits that give the length of the whole packet (themselves included), then the payload.
 * The lengths 0, 1 and 2 carry no payload and are marks: flush (end of a list), delimiter (between sections,
 * protocol v2) and response end (stateless connections, v2). 3 means nothing; 4 is an empty payload.
 * Source: gitprotocol-common(5), gitprotocol-v2(5).
 */

/** The longest packet git writes or accepts, its four length digits included. */
export const maxPacketBytes = 65520;

export type PacketMark = "flush" | "delimiter" | "response-end";
/** The payload of a packet, or one of the three marks. */
export type Packet = Uint8Array | PacketMark;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const flushPacket: Uint8Array = encoder.encode("0000");
export const delimiterPacket: Uint8Array = encoder.encode("0001");
export const responseEndPacket: Uint8Array = encoder.encode("0002");

const hexDigits = encoder.encode("0123456789abcdef");

/** Writes the four digits of a packet length. */
export function putPacketLength(out: Uint8Array, at: number, length: number): void {
  out[at] = hexDigits[(length >>> 12) & 15] ?? 0;
  out[at + 1] = hexDigits[(length >>> 8) & 15] ?? 0;
  out[at + 2] = hexDigits[(length >>> 4) & 15] ?? 0;
  out[at + 3] = hexDigits[length & 15] ?? 0;
}

/** One packet with this payload. Throws RangeError when it is longer than a packet can be. */
export function packetLine(payload: string | Uint8Array): Uint8Array {
  const bytes = typeof payload === "string" ? encoder.encode(payload) : payload;
  const length = bytes.length + 4;
  if (length > maxPacketBytes) {
    throw new RangeError(`A packet of ${length} bytes is longer than ${maxPacketBytes}`);
  }
  const packet = new Uint8Array(length);
  putPacketLength(packet, 0, length);
  packet.set(bytes, 4);
  return packet;
}

/** The packet that ends a conversation with a reason; git prints it as `remote error: …`. */
export function errorPacket(message: string): Uint8Array {
  return packetLine(`ERR ${message}`);
}

/** Length of a packet from its four digits, null when they are not hex digits or the length is 3. */
export function parsePacketLength(bytes: Uint8Array, at: number): number | null {
  let length = 0;
  for (let index = at; index < at + 4; index++) {
    const byte = bytes[index] ?? 0;
    let digit: number;
    if (byte >= 48 && byte <= 57) {
      digit = byte - 48;
    } else if ((byte | 32) >= 97 && (byte | 32) <= 102) {
      digit = (byte | 32) - 87;
    } else {
      return null;
    }
    length = length * 16 + digit;
  }
  return length === 3 ? null : length;
}

/** The text of a payload without the line feed that git lets a line end with. Throws ProtocolError when it is not UTF-8. */
export function packetText(payload: Uint8Array): string {
  const end = payload[payload.length - 1] === 10 ? payload.length - 1 : payload.length;
  try {
    return decoder.decode(payload.subarray(0, end));
  } catch {
    throw new ProtocolError("A protocol line is not UTF-8");
  }
}
