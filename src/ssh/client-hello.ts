import type { Socket } from "node:net";

/** Facts about a client before the library speaks with it. */
export interface ClientHello {
  /** Whether it can encrypt both ways with AES-GCM. */
  readonly hasGcm: boolean;
}

/** The first line of a client, and what it can do: RFC 4253 has both end well before that. */
const longestLine = 255;
const longestHello = 35_000;
/** How long a client that surely says what it can do may take for it, before we do. */
const patienceMs = 2000;
const unknown: ClientHello = { hasGcm: false };
const kexInit = 20;
const cookieBytes = 16;

/**
 * Waits for the first bytes of a client and puts them back for the next reader. OpenSSH, which git uses, sends its
 * algorithms without waiting for the server. Answering only after that
 * - shows which ciphers the client has: the server prefers AES-CTR with a MAC to AES-GCM, because it costs half as much,
 *   and uses AES-GCM for clients without the former;
 * - avoids a pause of 40 ms, the delay of an acknowledgement that is not sent with data: until sign-in, OpenSSH holds back
 *   small messages (its key exchange) while an earlier one is not acknowledged.
 *
 * Other clients may wait for the server to speak first. Always resolves; the socket may be closed by then.
 */
export function hearClient(socket: Socket): Promise<ClientHello> {
  return new Promise((resolve) => {
    let heard: Buffer = Buffer.alloc(0);
    const done = (hello: ClientHello): void => {
      clearTimeout(timer);
      socket.off("data", listen).off("close", stop);
      socket.pause();
      if (heard.length > 0) {
        socket.unshift(heard);
      }
      resolve(hello);
    };
    const listen = (chunk: Buffer): void => {
      heard = Buffer.concat([heard, chunk]);
      const hello = readClientHello(heard);
      if (hello !== null) {
        done(hello);
      }
    };
    const stop = (): void => {
      clearTimeout(timer);
      resolve(unknown);
    };
    const timer = setTimeout(() => done(unknown), patienceMs);
    timer.unref();
    socket.on("data", listen).once("close", stop);
  });
}

/** Reads a client's first bytes; null while more are to be waited for. What cannot be read is left to the library to refuse. */
export function readClientHello(bytes: Buffer): ClientHello | null {
  const lineEnd = bytes.indexOf(0x0a);
  if (lineEnd === -1) {
    return bytes.length > longestLine ? unknown : null;
  }
  if (!bytes.subarray(0, lineEnd).toString("latin1").startsWith("SSH-2.0-OpenSSH_")) {
    return unknown;
  }
  const packet = bytes.subarray(lineEnd + 1);
  const length = packet.length < 4 ? 0 : packet.readUInt32BE(0);
  if (packet.length < 4 + length || packet.length < 4) {
    return length > longestHello ? unknown : null;
  }
  return readKexInit(packet.subarray(5, 4 + length));
}

/** Source: RFC 4253, 7.1. */
function readKexInit(payload: Buffer): ClientHello {
  if (payload[0] !== kexInit) {
    return unknown;
  }
  const lists: string[][] = [];
  for (let at = 1 + cookieBytes; lists.length < 4;) {
    if (at + 4 > payload.length) {
      return unknown;
    }
    const length = payload.readUInt32BE(at);
    lists.push(
      payload
        .subarray(at + 4, at + 4 + length)
        .toString("latin1")
        .split(","),
    );
    at += 4 + length;
  }
  // Key exchange, host keys, and the ciphers of either direction.
  const [, , fromClient = [], toClient = []] = lists;
  return { hasGcm: [fromClient, toClient].every((names) => gcmCiphers.some((name) => names.includes(name))) };
}

/** AES-128 comes first: nothing is known to be won by more rounds. */
export const gcmCiphers = ["aes128-gcm@openssh.com" as const, "aes256-gcm@openssh.com" as const];
