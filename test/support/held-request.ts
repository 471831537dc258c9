import { connect } from "node:net";
import type { TestApp } from "./test-app.ts";
import { until } from "./until.ts";

export interface HeldAnswer {
  status: number;
  /** Everything: status line, headers and body. */
  text: string;
}

export interface HeldRequest {
  /** Sends the rest of the body and reads the answer to its end. */
  finish(): Promise<HeldAnswer>;
}

/** Counts the requests of which the server knows who sent them; see `holdRequest`. */
export class Identified {
  count = 0;

  constructor({ forge }: TestApp) {
    const identity = forge.identity as { -readonly [Key in keyof typeof forge.identity]: (typeof forge.identity)[Key] };
    const { identify, identifyKey, identifySession } = identity;
    identity.identify = async (...asked) => {
      const subject = await identify(...asked);
      this.count++;
      return subject;
    };
    identity.identifyKey = async (...asked) => {
      const subject = await identifyKey(...asked);
      this.count++;
      return subject;
    };
    identity.identifySession = async (...asked) => {
      const found = await identifySession(...asked);
      this.count++;
      return found;
    };
  }
}

/**
 * Sends a request over a bare socket but for the end of its body, and waits until the server knows who sends it: what it
 * decided about them then is decided.
 */
export async function holdRequest(
  url: string,
  identified: Identified,
  request: { method: string; path: string; headers: Record<string, string>; body: Uint8Array; held?: number },
): Promise<HeldRequest> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = Promise.withResolvers<void>();
  const pieces: Buffer[] = [];
  socket.on("data", (piece) => void pieces.push(Buffer.from(piece)));
  socket.on("error", () => closed.resolve());
  socket.on("close", () => closed.resolve());
  const { body } = request;
  const end = body.length - (request.held ?? 1);
  const headers = { host: hostname, connection: "close", "content-length": String(body.length), ...request.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const before = identified.count;
  socket.write(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  socket.write(body.subarray(0, end));
  await until("the server knows who sends the request", () => identified.count > before);
  return {
    async finish() {
      socket.write(body.subarray(end));
      await closed.promise;
      const text = Buffer.concat(pieces).toString("latin1");
      return { status: Number(text.split(" ")[1]), text };
    },
  };
}
