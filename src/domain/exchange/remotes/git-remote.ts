import { connect, type Socket } from "node:net";
import { advertisementLimits } from "../../../git/remote/advertisement.ts";
import { PacketReader } from "../../../git/wire/packet-reader.ts";
import { PacketWriter } from "../../../git/wire/packet-writer.ts";
import { messageOf } from "../../../lib/errors.ts";
import type { OutboundClient } from "../../../outbound/outbound-client.ts";
import { ProgressWatch } from "../../../outbound/progress-watch.ts";
import { boundedChunks, idleMs, type Conversation, type ConversationLimits } from "./conversation.ts";
import { RemoteFailed } from "./errors.ts";
import type { RemoteAddress } from "./remote-address.ts";

const defaultPort = 9418;
const connectMs = 30_000;

/**
 * Opens a conversation with upload-pack over the git protocol, which knows no credentials and no encryption: the address is resolved and checked as all
 * others, and the connection goes to what was checked. Throws RemoteFailed, AddressRefused and OutboundFailed. Source: gitprotocol-pack(5).
 */
export async function openGit(
  outbound: OutboundClient,
  address: RemoteAddress,
  limits: ConversationLimits,
): Promise<Conversation> {
  const url = new URL(address.text);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const checked = await outbound.checkDirect(host, "git");
  const path = decodeURIComponent(url.pathname);
  if (path.includes("\0")) {
    throw new RemoteFailed("address", `${address.text} has a zero byte in its path`);
  }
  const port = url.port === "" ? defaultPort : Number(url.port);
  const socket = connect({ host: checked.address, port });
  const onAbort = () => socket.destroy(new Error("it was cancelled"));
  const total = setTimeout(() => socket.destroy(new Error("it took too long")), limits.totalMs);
  const watch = new ProgressWatch(limits.progress, (failure) => socket.destroy(failure));
  limits.signal?.addEventListener("abort", onAbort, { once: true });
  const end = () => {
    clearTimeout(total);
    watch[Symbol.dispose]();
    limits.signal?.removeEventListener("abort", onAbort);
    socket.destroy();
  };
  const failed = (error: unknown) =>
    new RemoteFailed("unreachable", `${address.text} could not be reached: ${messageOf(error)}`, { cause: error });
  try {
    await connected(socket);
    const request = `git-upload-pack ${path}\0host=${url.host}\0`;
    await write(socket, new PacketWriter().data(Buffer.from(request)).take());
    const reader = new PacketReader(chunksOf(socket, watch, failed), { packetBytes: advertisementLimits.packetBytes });
    return {
      hostKey: null,
      advertised: reader,
      async send(body) {
        for await (const chunk of body instanceof Uint8Array ? [body] : body) {
          await write(socket, chunk);
          watch.note(chunk.length);
        }
        return new PacketReader(boundedChunks(reader.rest(), limits.answerBytes));
      },
      async [Symbol.asyncDispose]() {
        end();
      },
    };
  } catch (error) {
    end();
    throw failed(error);
  }
}

async function connected(socket: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.setTimeout(connectMs, () => socket.destroy(new Error("nothing came")));
  socket.once("connect", resolve);
  socket.once("error", reject);
  socket.once("close", () => reject(new Error("the connection was closed")));
  await promise;
  socket.setTimeout(idleMs);
  // An error after this shows where it is read.
  socket.on("error", () => {});
}

async function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
}

async function* chunksOf(
  socket: Socket,
  watch: ProgressWatch,
  failed: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      watch.note(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw failed(error);
  }
}
