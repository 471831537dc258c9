import { maxPacketBytes, putPacketLength } from "./pkt-line.ts";

/*
 * Sideband: the first byte of each packet says what the rest is. 1: pack data (or the report of a push),
 * 2: text for the person, 3: the text of a fatal error. `side-band` packets are at most 1000 bytes,
 * `side-band-64k` packets 65520. Source: gitprotocol-pack(5), gitprotocol-capabilities(5).
 */
export const Sideband = { data: 1, progress: 2, error: 3 } as const;
export type Sideband = (typeof Sideband)[keyof typeof Sideband];

/** Longest packet for the client: 0 when it speaks no sideband at all. */
export type SidebandSize = 0 | 1000 | 65520;
export const sideband64k = maxPacketBytes;

const encoder = new TextEncoder();

/** `bytes` as packets of one band, as many as needed. An empty payload gives one empty packet (git's keepalive). */
export function sidebandPackets(
  band: Sideband,
  bytes: Uint8Array | string,
  size: Exclude<SidebandSize, 0>,
): Uint8Array {
  const payload = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
  const body = size - 5;
  const packets = Math.max(1, Math.ceil(payload.length / body));
  const out = new Uint8Array(payload.length + packets * 5);
  let to = 0;
  for (let packet = 0; packet < packets; packet++) {
    const part = payload.subarray(packet * body, (packet + 1) * body);
    putPacketLength(out, to, part.length + 5);
    out[to + 4] = band;
    out.set(part, to + 5);
    to += part.length + 5;
  }
  return out;
}
