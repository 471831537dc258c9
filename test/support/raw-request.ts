import { connect } from "node:net";

/** What a server said to bytes that no HTTP client would send. */
export interface RawAnswer {
  /** The status line and headers, and the body as far as it came. */
  text: string;
  status: number;
  /** Bytes of the request that had been sent when the answer began. */
  sentBytes: number;
}

/**
 * Sends an HTTP request over a bare socket: the head as given, then pieces until the answer begins or they end.
 * Answers as soon as the headers are there.
 */
export async function rawRequest(url: string, head: string, pieces: Iterable<Uint8Array> = []): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    if (text.includes("\r\n\r\n")) {
      end();
    }
  });
  socket.on("error", () => end());
  socket.on("close", () => end());
  let sentBytes = 0;
  socket.write(head);
  for (const piece of pieces) {
    if (text !== "" || socket.destroyed) {
      break;
    }
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    socket.write(piece, () => resolve());
    await Promise.race([taken, over]);
    sentBytes += piece.byteLength;
  }
  await over;
  socket.destroy();
  return { text, status: Number(text.split(" ")[1]), sentBytes };
}
