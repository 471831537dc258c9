import type { Forge } from "../forge.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import type { RemoteAddress, RemoteCredentials } from "../remotes/remote-address.ts";
import { OutboundFailed } from "../../outbound/errors.ts";

const answerBytes = 64 * 1024 * 1024;
const answerMs = 120_000;
const pageSize = 50;
/** A server that says "later" is believed for so long. */
const longestRestMs = 10 * 60_000;
const tries = 5;

/** Reads a repository by the API of a server of this family. */
export class FamilyClient {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(
    private readonly outbound: Forge["outbound"],
    private readonly address: RemoteAddress,
    credentials: RemoteCredentials | null,
    private readonly signal: AbortSignal,
  ) {
    const url = new URL(address.text);
    const parts = url.pathname
      .replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split("/");
    const [owner = "", name = ""] = parts.splice(-2);
    this.#base = `${url.origin}${parts.join("/")}/api/v1/repos/${owner}/${name}`;
    this.#headers = {
      accept: "application/json",
      "accept-encoding": "identity",
      ...(credentials?.kind === "password"
        ? {
            authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
          }
        : {}),
    };
  }

  /** Every item of a list, some at a time; `total` is what the server says that there are, or what has come. Throws RemoteFailed. */
  async *pages(path: string): AsyncGenerator<{ items: unknown[]; total: number }> {
    let come = 0;
    for (let page = 1; ; page++) {
      const { body, headers } = await this.#get(
        `${path}${path.includes("?") ? "&" : "?"}page=${page}&limit=${pageSize}`,
      );
      if (!Array.isArray(body)) {
        throw this.#failed("answered something else than a list");
      }
      come += body.length;
      yield { items: body, total: Math.max(Number(headers.get("x-total-count") ?? 0), come) };
      if (body.length === 0 || !(headers.get("link") ?? "").includes('rel="next"')) {
        return;
      }
    }
  }

  async #get(path: string): Promise<{ body: unknown; headers: Headers }> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.outbound
        .send({
          method: "GET",
          url: `${this.#base}${path}`,
          headers: this.#headers,
          redirects: 5,
          totalMs: answerMs,
          maxBytes: answerBytes,
          signal: this.signal,
        })
        .catch((error: unknown) => {
          throw error instanceof OutboundFailed ? this.#failed(error.message) : error;
        });
      if (answer.status === 200) {
        const text = await new Response(answer.body).text();
        try {
          return { body: JSON.parse(text), headers: answer.headers };
        } catch {
          throw this.#failed("answered what is no JSON");
        }
      }
      await answer.body.cancel().catch(() => {});
      if ((answer.status !== 429 && answer.status !== 503) || attempt === tries) {
        throw this.#failed(`answered with the status ${answer.status}`);
      }
      await this.#rest(Number(answer.headers.get("retry-after") ?? 0) * 1000 || 1000 * 2 ** attempt);
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
