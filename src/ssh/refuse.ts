import type { Socket } from "node:net";

/** Source: RFC 4253, 6 (how a message is packed), 11.1 (this one), and RFC 4250, 4.2.2 (its reasons). */
const disconnect = 1;
const tooManyConnections = 12;
const blockBytes = 8;
const smallestPadding = 4;
/**
 * How long a client may take to read the reason, and how many clients may do so at once. Further clients get no reason.
 */
const hearingMs = 2000;
const maxListeners = 100;

let hearing = 0;

/**
 * Tells a client why it is not served, and closes the connection. A text before the line in which a server says what it is
 * would be simpler, but OpenSSH does not show it; this is the only message that it takes so early.
 */
export function refuse(socket: Socket, firstLine: string, reason: string): void {
  socket.on("error", () => {});
  if (hearing >= maxListeners) {
    socket.destroy();
    return;
  }
  hearing++;
  const timer = setTimeout(() => socket.destroy(), hearingMs);
  timer.unref();
  socket.once("close", () => {
    clearTimeout(timer);
    hearing--;
  });
  // The server reads on meanwhile: if it closed with unread bytes, the connection would be reset and the last bytes it
  // sent would be lost.
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(firstLine), disconnectMessage(reason)]));
}

/** Not encrypted: no keys are agreed on. */
function disconnectMessage(reason: string): Buffer {
  const text = Buffer.from(reason);
  const payload = Buffer.alloc(1 + 4 + 4 + text.length + 4);
  payload.writeUInt8(disconnect, 0);
  payload.writeUInt32BE(tooManyConnections, 1);
  payload.writeUInt32BE(text.length, 5);
  payload.set(text, 9);
  const head = 4 + 1;
  const over = (head + payload.length + smallestPadding) % blockBytes;
  const padding = smallestPadding + (over === 0 ? 0 : blockBytes - over);
  const packet = Buffer.alloc(head + payload.length + padding);
  packet.writeUInt32BE(packet.length - 4, 0);
  packet.writeUInt8(padding, 4);
  packet.set(payload, head);
  return packet;
}
