import { createHash } from "node:crypto";
import type { ClientChannel } from "ssh2";
import { PacketReader } from "../../../git/wire/packet-reader.ts";
import { advertisementLimits } from "../../../git/remote/advertisement.ts";
import { messageOf } from "../../../lib/errors.ts";
import type { OutboundFailed } from "../../../outbound/errors.ts";
import type { OutboundClient } from "../../../outbound/outbound-client.ts";
import { ProgressWatch } from "../../../outbound/progress-watch.ts";
import {
  boundedChunks,
  idleMs,
  type Conversation,
  type ConversationLimits,
  type RemoteService,
} from "./conversation.ts";
import { RemoteFailed } from "./errors.ts";
import type { RemoteAddress, RemoteCredentials } from "./remote-address.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";

const readyMs = 30_000;

/** Whom an SSH server has to be. */
export interface KnownHost {
  /** `SHA256:…` of the key that it had; null: it was not met yet, and is believed. */
  readonly hostKey: string | null;
  /** Notes the key of a server that was not met yet. It sees no credentials before that is done. */
  readonly onFirstKey?: (hostKey: string) => Promise<void>;
}

/**
 * Opens a conversation over SSH: the address is resolved and checked as all others, and the connection goes to what was checked. Throws
 * RemoteFailed, AddressRefused and OutboundFailed.
 */
export async function openSsh(
  outbound: OutboundClient,
  address: RemoteAddress,
  credentials: RemoteCredentials | null,
  service: RemoteService,
  { hostKey: known, onFirstKey }: KnownHost,
  limits: ConversationLimits,
): Promise<Conversation> {
  const url = new URL(address.text);
  const checked = await outbound.checkDirect(url.hostname.replace(/^\[|\]$/g, ""), "ssh");
  const { Client } = await import("ssh2");
  const client = new Client();
  const met: { hostKey: string | null; isOther: boolean } = { hostKey: null, isOther: false };
  const failed = (error: unknown): RemoteFailed => {
    if (met.isOther) {
      return new RemoteFailed(
        "host-key",
        `${address.text} has the host key ${met.hostKey}, and had ${known} before; delete the mirror and make it anew, or start the migration again, if that is right`,
      );
    }
    const { level } = (error ?? {}) as { level?: unknown };
    return level === "client-authentication"
      ? new RemoteFailed("credentials", `${address.text} does not accept the key or the password`)
      : new RemoteFailed("unreachable", `${address.text} could not be reached: ${messageOf(error)}`);
  };
  const onAbort = () => client.destroy();
  const total = setTimeout(onAbort, limits.totalMs);
  total.unref();
  let slowness: OutboundFailed | null = null;
  const watch = new ProgressWatch(limits.progress, (failure) => {
    slowness = failure;
    onAbort();
  });
  const end = () => {
    clearTimeout(total);
    watch[Symbol.dispose]();
    limits.signal?.removeEventListener("abort", onAbort);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      client.once("ready", resolve);
      client.once("error", reject);
      client.once("close", () => reject(new Error("the connection was closed")));
      limits.signal?.addEventListener("abort", onAbort, { once: true });
      client.connect({
        host: checked.address,
        port: url.port === "" ? 22 : Number(url.port),
        username:
          credentials?.kind === "password" && credentials.username !== ""
            ? credentials.username
            : address.user || "git",
        ...(credentials?.kind === "password" ? { password: credentials.password } : {}),
        ...(credentials?.kind === "key" ? { privateKey: credentials.privateKey } : {}),
        readyTimeout: readyMs,
        keepaliveInterval: 30_000,
        hostVerifier: (key: Buffer, verify: (isRight: boolean) => void) => {
          const hostKey = `SHA256:${trimEndOf(createHash("sha256").update(key).digest("base64"), "=")}`;
          met.hostKey = hostKey;
          met.isOther = known !== null && known !== hostKey;
          const noted = known === null ? onFirstKey?.(hostKey) : undefined;
          Promise.resolve(noted).then(
            () => verify(!met.isOther),
            () => verify(false),
          );
        },
      });
    });
    // An error after this shows in the channel, which ends.
    client.on("error", () => {});
    const path = decodeURIComponent(url.pathname).replaceAll("'", "'\\''");
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      client.exec(`${service} '${path}'`, (error, opened) => (error === undefined ? resolve(opened) : reject(error)));
    });
    const reader = new PacketReader(
      chunksOf(channel, watch, () => slowness),
      { packetBytes: advertisementLimits.packetBytes },
    );
    const { answerBytes } = limits;
    return {
      get hostKey() {
        return met.hostKey;
      },
      advertised: reader,
      async send(body) {
        for await (const chunk of body instanceof Uint8Array ? [body] : body) {
          watch.note(chunk.length);
          if (!channel.write(Buffer.from(chunk))) {
            await new Promise<void>((resolve) => {
              channel.once("drain", resolve);
              channel.once("close", resolve);
            });
          }
        }
        return new PacketReader(boundedChunks(reader.rest(), answerBytes));
      },
      async [Symbol.asyncDispose]() {
        end();
        channel.end();
        client.end();
        client.destroy();
      },
    };
  } catch (error) {
    end();
    client.on("error", () => {});
    client.destroy();
    throw failed(error);
  }
}

/** Yields the bytes of the channel. Text on standard error is the reason if no bytes came. */
async function* chunksOf(
  channel: ClientChannel,
  watch: ProgressWatch,
  findSlowness: () => OutboundFailed | null,
): AsyncGenerator<Uint8Array> {
  let complaint = "";
  channel.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(0, 200);
  });
  let bytes = 0;
  const silence = setTimeout(() => channel.destroy(), idleMs);
  try {
    for await (const chunk of channel as AsyncIterable<Buffer>) {
      silence.refresh();
      watch.note(chunk.length);
      bytes += chunk.length;
      yield chunk;
    }
  } finally {
    clearTimeout(silence);
  }
  const slowness = findSlowness();
  if (slowness !== null) {
    throw slowness;
  }
  if (bytes === 0) {
    throw new RemoteFailed(
      "no-repository",
      complaint.trim() === "" ? "The other server sent nothing" : `The other server says: ${complaint.trim()}`,
    );
  }
}
