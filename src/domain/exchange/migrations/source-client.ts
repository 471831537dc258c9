import { StithyError } from "../../../lib/errors.ts";
import { OutboundFailed } from "../../../outbound/errors.ts";
import { leastProgress, type Progress } from "../../../outbound/progress-watch.ts";
import type { OutboundResponse } from "../../../outbound/outbound-client.ts";
import type { Forge } from "../../spine/forge.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import type { RemoteAddress, RemoteCredentials } from "../remotes/remote-address.ts";
import { trimEndOf } from "../../../lib/trim-text.ts";

const answerBytes = 64 * 1024 * 1024;
/** A page of a hundred releases with twenty files each has 150,000 keys and values. */
const answerValues = 500_000;
/** The most bytes of one list that `all` reads. */
const listBytes = 2 * answerBytes;
const answerMs = 120_000;
/** Of a file. */
const fileMs = 3_600_000;
/** A server that says "later" is believed for so long: GitHub counts requests by the hour. */
const longestRestMs = 65 * 60_000;
const tries = 5;
/** Items of a list that belongs to one issue or pull request. */
const mostOfOne = 20_000;
const laterStatuses = new Set([403, 429, 503]);

/** The servers whose API brings a repository. */
export const sourceServices = ["gitea", "github"] as const;
export type SourceService = (typeof sourceServices)[number];

/** In what the two differ, for all that is read alike. */
const dialects = {
  gitea: { size: "limit=50", accept: "application/json" },
  github: { size: "per_page=100", accept: "application/vnd.github+json" },
} as const;

/** Reads a repository by the API of a server of this family, or of GitHub. */
export class SourceClient {
  /** The base address of the repository's operations. */
  readonly base: string;
  readonly #headers: Record<string, string>;

  constructor(
    private readonly forge: Pick<Forge, "outbound" | "json">,
    private readonly address: RemoteAddress,
    readonly service: SourceService,
    credentials: RemoteCredentials | null,
    private readonly signal: AbortSignal,
  ) {
    this.base = baseOf(new URL(address.text), service);
    this.#headers = {
      accept: dialects[service].accept,
      "accept-encoding": "identity",
      ...(credentials?.kind === "password"
        ? {
            authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
          }
        : {}),
    };
  }

  /**
   * Every item of a list, some at a time; `total` is what the server says that there are, or what has come, and `bytes` what this page had.
   * Throws RemoteFailed, also for a list of more than `most` items: another server can go on for ever.
   */
  async *pages(path: string, most: number): AsyncGenerator<{ items: unknown[]; total: number; bytes: number }> {
    let come = 0;
    const { size } = dialects[this.service];
    for (let page = 1; ; page++) {
      const url = `${this.base}${path}${path.includes("?") ? "&" : "?"}page=${page}&${size}`;
      const answer = await this.#get(url, {
        accept: this.#headers["accept"] ?? "",
        maxBytes: answerBytes,
        totalMs: answerMs,
      });
      const content = withoutNul(await new Response(answer.body).bytes());
      // Parsing takes the memory of what it parses.
      const bytes = content.length;
      const body = await this.#parse(content);
      if (!Array.isArray(body)) {
        throw this.#failed("answered something else than a list");
      }
      come += body.length;
      if (come > most) {
        throw this.#failed(`lists more than ${most} items at ${path.split("?")[0]}`);
      }
      yield { items: body, total: Math.max(Number(answer.headers.get("x-total-count") ?? 0), come), bytes };
      if (body.length === 0 || !(answer.headers.get("link") ?? "").includes('rel="next"')) {
        return;
      }
    }
  }

  /** All of a list. Throws RemoteFailed. */
  async all(path: string): Promise<unknown[]> {
    const items = [];
    let bytes = 0;
    for await (const page of this.pages(path, mostOfOne)) {
      bytes += page.bytes;
      if (bytes > listBytes) {
        throw this.#failed(`lists more than ${listBytes} bytes at ${path}`);
      }
      items.push(...page.items);
    }
    return items;
  }

  /** Bounded in its values, which cost far more than their bytes, and large ones in a thread. Throws RemoteFailed. */
  async #parse(content: Uint8Array): Promise<unknown> {
    try {
      const parsed = await this.forge.json.parse(content, this.signal, answerValues);
      if ("value" in parsed) {
        return parsed.value;
      }
      throw this.#failed("answered what is no JSON");
    } catch (error) {
      if (error instanceof StithyError && error.kind === "too-large") {
        throw this.#failed("answered more values than this server takes at once");
      }
      throw error;
    }
  }

  /** The content of a file, at most so many bytes. Throws RemoteFailed, also where it is another server's that wants credentials. */
  async file(url: string, maxBytes: number): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#get(url, {
      accept: "application/octet-stream",
      maxBytes,
      totalMs: fileMs,
      progress: leastProgress,
    });
    return body;
  }

  async #get(
    url: string,
    { accept, ...limits }: { accept: string; maxBytes: number; totalMs: number; progress?: Progress },
  ): Promise<OutboundResponse> {
    for (let attempt = 1; ; attempt++) {
      const isSameServer = URL.canParse(url) && new URL(url).origin === new URL(this.base).origin;
      const { authorization, ...common } = this.#headers;
      const answer = await this.forge.outbound
        .send({
          method: "GET",
          url,
          // What was given for one server is for no other.
          headers: { ...common, accept, ...(isSameServer && authorization !== undefined ? { authorization } : {}) },
          redirects: 5,
          signal: this.signal,
          ...limits,
        })
        .catch((error: unknown) => {
          throw error instanceof OutboundFailed ? this.#failed(error.message) : error;
        });
      if (answer.status === 200) {
        return answer;
      }
      await answer.body.cancel().catch(() => {});
      const rest = laterStatuses.has(answer.status) ? restOf(answer, attempt) : null;
      if (rest === null || attempt === tries) {
        throw this.#failed(`answered with the status ${answer.status}`);
      }
      await this.#rest(rest);
    }
  }

  async #rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(ms, longestRestMs));
    this.signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.signal.throwIfAborted();
  }

  #failed(why: string): RemoteFailed {
    return new RemoteFailed("refused", `The API of ${this.address.text} ${why}`);
  }
}

/** Milliseconds until a server answers again; null: it refuses for another reason. Source: GitHub, "Rate limits for the REST API". */
function restOf({ status, headers }: OutboundResponse, attempt: number): number | null {
  const after = Number(headers.get("retry-after") ?? 0) * 1000;
  if (after > 0) {
    return after;
  }
  if (headers.get("x-ratelimit-remaining") === "0") {
    return Math.max(1000, Number(headers.get("x-ratelimit-reset") ?? 0) * 1000 - Date.now() + 1000);
  }
  return status === 403 ? null : 1000 * 2 ** attempt;
}

/** Returns the JSON without escaped NULs, which nothing here can store. */
function withoutNul(json: Uint8Array): Uint8Array {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  return bytes.includes("\\u0000")
    ? Buffer.from(bytes.toString("utf8").replaceAll(/\\(?:u0000|\\)/g, (found) => (found === "\\\\" ? found : "")))
    : json;
}

/** Where the operations of a repository are, by the address that git uses. */
function baseOf({ origin, host, pathname }: URL, service: SourceService): string {
  const parts = trimEndOf(pathname, "/")
    .replace(/\.git$/, "")
    .split("/");
  const [owner = "", name = ""] = parts.splice(-2);
  const before = `${origin}${parts.join("/")}`;
  switch (service) {
    case "gitea":
      return `${before}/api/v1/repos/${owner}/${name}`;
    case "github":
      return `${host === "github.com" ? "https://api.github.com" : `${before}/api/v3`}/repos/${owner}/${name}`;
  }
}
