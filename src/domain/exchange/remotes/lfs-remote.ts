import { Type, type Static } from "typebox";
import { checkJson } from "../../../lib/json/check-json.ts";
import { leastProgress } from "../../../outbound/progress-watch.ts";
import type { OutboundClient, OutboundRequest, OutboundResponse } from "../../../outbound/outbound-client.ts";
import { idleMs } from "./conversation.ts";
import { RemoteFailed } from "./errors.ts";
import type { RemoteAddress, RemoteCredentials } from "./remote-address.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";
import { fits } from "../../../lib/schema.ts";

/** An LFS object by its SHA-256 in hexadecimal, with its length in bytes. */
export interface LfsObject {
  readonly oid: string;
  readonly size: number;
}

/** A field of a request that can be sent (RFC 9110, 5.1 and 5.5). */
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$" });
const HeaderValue = Type.String({ pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]{0,16384}$" });
const Action = Type.Object({
  href: Type.String({ maxLength: 8192 }),
  header: Type.Optional(
    Type.Union([Type.Record(HeaderName, HeaderValue, { additionalProperties: false }), Type.Null()]),
  ),
});
const BatchAnswer = Type.Object({
  objects: Type.Array(
    Type.Object({
      oid: Type.String(),
      size: Type.Optional(Type.Number()),
      actions: Type.Optional(
        Type.Union([
          Type.Object({
            download: Type.Optional(Action),
            upload: Type.Optional(Action),
            verify: Type.Optional(Action),
          }),
          Type.Null(),
        ]),
      ),
      error: Type.Optional(
        Type.Union([
          Type.Object({ code: Type.Number(), message: Type.Optional(Type.String({ maxLength: 100_000 })) }),
          Type.Null(),
        ]),
      ),
    }),
  ),
});

/** Another server's answer about an object. */
export type LfsPlan = Static<typeof BatchAnswer>["objects"][number];
type LfsAction = Static<typeof Action>;

const jsonType = "application/vnd.git-lfs+json";
const answerBytes = 16 * 1024 * 1024;
const answerValues = 50_000;
const answerMs = 120_000;
const redirects = 5;

/** Speaks with the LFS server of a repository elsewhere (Git LFS Batch API, with the adapter "basic"). */
export class LfsRemote {
  readonly #endpoint: string;
  readonly #authorization: Readonly<Record<string, string>>;

  /** `endpoint`: where it is; empty: below the repository's address, as git-lfs looks for it. */
  constructor(
    private readonly outbound: OutboundClient,
    address: RemoteAddress,
    credentials: RemoteCredentials | null,
    endpoint: string,
    /** The time limit of one object. */
    private readonly transferMs: number,
    private readonly signal?: AbortSignal,
  ) {
    const base = trimEndOf(address.text, "/");
    this.#endpoint = endpoint === "" ? `${base.endsWith(".git") ? base : `${base}.git`}/info/lfs` : endpoint;
    const isSameServer = new URL(this.#endpoint).origin === new URL(base).origin;
    // The credentials are for the server of the repository.
    this.#authorization =
      credentials?.kind === "password" && isSameServer
        ? {
            authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
          }
        : {};
  }

  /** Asks what is to be done about objects, a hundred at most. Throws RemoteFailed. */
  async batch(operation: "download" | "upload", objects: readonly LfsObject[]): Promise<LfsPlan[]> {
    const answer = await this.#send({
      method: "POST",
      url: `${this.#endpoint}/objects/batch`,
      headers: { ...this.#authorization, accept: jsonType, "content-type": jsonType },
      body: JSON.stringify({ operation, transfers: ["basic"], hash_algo: "sha256", objects }),
      redirects,
      totalMs: answerMs,
      maxBytes: answerBytes,
    });
    if (answer.status !== 200) {
      await answer.body.cancel().catch(() => {});
      throw new RemoteFailed(
        answer.status === 401 || answer.status === 403 ? "credentials" : "refused",
        `${this.#endpoint} answered with the status ${answer.status} when it was asked for LFS objects`,
      );
    }
    const json = await parse(await new Response(answer.body).bytes());
    if (!fits(BatchAnswer, json)) {
      throw new RemoteFailed("refused", `${this.#endpoint} answered what is no list of LFS objects`);
    }
    return json.objects;
  }

  /** The content of an object. Throws RemoteFailed. */
  async download({ oid, size }: LfsObject, action: LfsAction): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#send({
      method: "GET",
      url: action.href,
      headers: { "accept-encoding": "identity", ...this.#headersOf(action) },
      redirects,
      totalMs: this.transferMs,
      progress: leastProgress,
      maxBytes: size,
    });
    if (answer.status !== 200) {
      await answer.body.cancel().catch(() => {});
      throw new RemoteFailed("refused", `The LFS object ${oid} was answered with the status ${answer.status}`);
    }
    return answer.body;
  }

  /** Sends an object, and has it verified where the other server wants that. Throws RemoteFailed. */
  async upload({ oid, size }: LfsObject, { actions }: LfsPlan, content: Blob): Promise<void> {
    const upload = actions?.upload;
    if (upload === undefined) {
      return;
    }
    const sent = await this.#send({
      method: "PUT",
      url: upload.href,
      headers: { "content-type": "application/octet-stream", ...this.#headersOf(upload) },
      body: content,
      redirects: 0,
      totalMs: this.transferMs,
      maxBytes: answerBytes,
    });
    await this.#finish(sent, `The LFS object ${oid} was not taken`);
    const verify = actions?.verify;
    if (verify !== undefined) {
      const verified = await this.#send({
        method: "POST",
        url: verify.href,
        headers: { accept: jsonType, "content-type": jsonType, ...this.#headersOf(verify) },
        body: JSON.stringify({ oid, size }),
        redirects: 0,
        totalMs: answerMs,
        maxBytes: answerBytes,
      });
      await this.#finish(verified, `The LFS object ${oid} was not verified`);
    }
  }

  async #finish(answer: OutboundResponse, what: string): Promise<void> {
    await answer.body.cancel().catch(() => {});
    if (answer.status < 200 || answer.status > 299) {
      throw new RemoteFailed("refused", `${what}: ${new URL(answer.url).host} answered ${answer.status}`);
    }
  }

  /** The headers that the other server asks for. Credentials are sent to no server but their own. */
  #headersOf({ href, header }: LfsAction): Record<string, string> {
    const given = Object.entries(header ?? {}).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
    const hasOwn = given.some(([name]) => name.toLowerCase() === "authorization");
    const isSameServer = URL.canParse(href) && new URL(href).origin === new URL(this.#endpoint).origin;
    return { ...(!hasOwn && isSameServer ? this.#authorization : {}), ...Object.fromEntries(given) };
  }

  #send(request: OutboundRequest): Promise<OutboundResponse> {
    return this.outbound.send({
      ...request,
      // How much of a file has gone is not told.
      ...(request.body instanceof Blob ? {} : { idleMs }),
      ...(this.signal === undefined ? {} : { signal: this.signal }),
    });
  }
}

/** Headers that this server sets itself. */
const ownHeaders = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** null for what is no JSON, or more of it than a hundred objects need. */
async function parse(bytes: Uint8Array): Promise<unknown> {
  try {
    await checkJson(bytes, answerValues);
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}
