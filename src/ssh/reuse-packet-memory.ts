import { randomFillSync } from "node:crypto";
import type { Connection as SshClient } from "ssh2";

/** The library's cipher, which its types lack. */
interface Cipher {
  /** Memory for a message: its length, the length of its padding, room for the message, the padding. */
  allocPacket(payloadBytes: number): Buffer;
  /** Takes encrypted bytes, and from some ciphers the length as it stands in the packet. */
  _onWrite(bytes: Uint8Array): void;
  /** The initial vector of AES-GCM, which is incremented with each message; other ciphers have none. */
  readonly _encIV?: Uint8Array;
}

/** Messages of data are nearly as large as clients take them, 32 KB; all others are smaller than this. */
const largeBytes = 8 * 1024;
/** Encrypted in one call, bytes may have room behind them for less than a block that is not complete. */
const blockBytes = 16;
/** Git's frames of 64 KB are cut in two pieces, of which the second is some bytes shorter. */
const keptPackets = 2;

/**
 * Has the library put each large message where one of the same size has been before, instead of in new memory, and gives
 * back at once what a message was encrypted into: pages of memory that were not touched for a while cost more than to
 * encrypt what is in them. Needs a socket that has copied what it was given when it returns (`gatherWrites`). To be called
 * whenever keys were agreed on. A library in which this is not found stays as it is.
 */
export function reusePacketMemory(client: SshClient): void {
  const cipher = findCipher(client);
  if (cipher === null) {
    return;
  }
  const allocate = cipher.allocPacket.bind(cipher);
  const write = cipher._onWrite.bind(cipher);
  let packets: Kept[] = [];
  cipher.allocPacket = (payloadBytes) => {
    if (payloadBytes < largeBytes) {
      return allocate(payloadBytes);
    }
    const kept = packets.find((each) => each.payloadBytes === payloadBytes);
    if (kept !== undefined && isAsItWas(kept)) {
      randomFillSync(kept.packet, kept.packet.length - kept.paddingBytes);
      return kept.packet;
    }
    const packet = allocate(payloadBytes);
    packets = [
      { payloadBytes, packet, lengths: packet.readUIntBE(0, 5), paddingBytes: packet[4] ?? 0 },
      ...packets.filter((each) => each !== kept),
    ].slice(0, keptPackets);
    return packet;
  };
  // Only AES-GCM does not look again at what it has written: the others make a code of it.
  if (cipher._encIV !== undefined) {
    cipher._onWrite = (bytes) => {
      write(bytes);
      if (bytes.length >= largeBytes && !packets.some(({ packet }) => packet === bytes)) {
        release(bytes);
      }
    };
  }
}

/** Frees memory that is known not to be looked at again; left to the garbage collector, it would be cold when it comes back. */
function release({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength < byteLength + blockBytes) {
    buffer.transfer(0);
  }
}

interface Kept {
  payloadBytes: number;
  packet: Buffer;
  /** The first five bytes: the packet's length and its padding's. */
  lengths: number;
  paddingBytes: number;
}

/** Not if it was encrypted where it stood. */
function isAsItWas({ packet, lengths }: Kept): boolean {
  return packet.readUIntBE(0, 5) === lengths;
}

function findCipher(client: SshClient): Cipher | null {
  const { _protocol: protocol } = client as { _protocol?: { _cipher?: Partial<Cipher> } };
  const cipher = protocol?._cipher;
  return typeof cipher?.allocPacket === "function" && typeof cipher._onWrite === "function" ? (cipher as Cipher) : null;
}
