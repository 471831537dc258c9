import { PacketReader } from "../../../git/wire/packet-reader.ts";
import { advertisementLimits } from "../../../git/remote/advertisement.ts";
import type { OutboundClient, OutboundResponse } from "../../../outbound/outbound-client.ts";
import { idleMs, type Conversation, type ConversationLimits, type RemoteService } from "./conversation.ts";
import { RemoteFailed } from "./errors.ts";
import type { RemoteAddress, RemoteCredentials } from "./remote-address.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";

const redirects = 5;
const advertisementBytes = 256 * 1024 * 1024;

/** Opens a conversation over smart HTTP (gitprotocol-http(5)). Throws RemoteFailed, AddressRefused and OutboundFailed. */
export async function openHttp(
  outbound: OutboundClient,
  address: RemoteAddress,
  credentials: RemoteCredentials | null,
  service: RemoteService,
  limits: ConversationLimits,
): Promise<Conversation> {
  const base = trimEndOf(address.text, "/");
  const authorization: Record<string, string> =
    credentials?.kind === "password"
      ? {
          authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
        }
      : {};
  const { totalMs, progress, signal } = limits;
  const common = { totalMs, idleMs, progress, ...(signal === undefined ? {} : { signal }) };
  const answer = await outbound.send({
    method: "GET",
    url: `${base}/info/refs?service=${service}`,
    headers: { ...authorization, "accept-encoding": "identity" },
    redirects,
    maxBytes: advertisementBytes,
    ...common,
  });
  await check(answer, address, `application/x-${service}-advertisement`);
  // Where the repository has moved, all that follows goes there, without what was meant for the first server alone.
  const target = answer.url.replace(/\/info\/refs\?service=.*$/, "");
  const isSameServer = new URL(target).origin === new URL(base).origin;
  return {
    hostKey: null,
    advertised: new PacketReader(answer.body, { packetBytes: advertisementLimits.packetBytes }),
    async send(body) {
      const response = await outbound.send({
        method: "POST",
        url: `${target}/${service}`,
        headers: {
          ...(isSameServer ? authorization : {}),
          "content-type": `application/x-${service}-request`,
          accept: `application/x-${service}-result`,
          "accept-encoding": "identity",
        },
        body: body instanceof Uint8Array ? new Uint8Array(body) : streamOf(body),
        redirects: 0,
        maxBytes: limits.answerBytes,
        ...common,
      });
      await check(response, address, `application/x-${service}-result`);
      return new PacketReader(response.body);
    },
    async [Symbol.asyncDispose]() {
      await answer.body.cancel().catch(() => {});
    },
  };
}

async function check(answer: OutboundResponse, { text }: RemoteAddress, contentType: string): Promise<void> {
  const { status, headers } = answer;
  if (status === 200 && (headers.get("content-type") ?? "").split(";")[0] === contentType) {
    return;
  }
  await answer.body.cancel().catch(() => {});
  if (status === 401 || status === 403) {
    throw new RemoteFailed("credentials", `${text} does not accept the user name and password or token (${status})`);
  }
  if (status === 404 || status === 410 || status === 200) {
    throw new RemoteFailed("no-repository", `There is no git repository at ${text}`);
  }
  const reason = status >= 500 || status === 429 ? "unreachable" : "refused";
  throw new RemoteFailed(reason, `${text} answered with the status ${status}`);
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done === true) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
