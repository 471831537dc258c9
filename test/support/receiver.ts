import type { Server } from "bun";

/** A request that a receiver of webhooks got. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent. */
  readonly text: string;
  /** The payload. */
  readonly body: Record<string, unknown>;
}

type Answer = (received: Received) => Response | Promise<Response>;

/** A receiver of webhooks on a free port of 127.0.0.1, which notes what it gets. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** What it answers; 200 if nothing else is said. */
  answer: Answer = () => new Response("thanks");
  readonly #server: Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: async (request) => {
        const text = await request.text();
        const headers = Object.fromEntries(request.headers);
        const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
        const json = isForm ? (new URLSearchParams(text).get("payload") ?? "null") : text;
        const got = { path: new URL(request.url).pathname, headers, text, body: JSON.parse(json) as Received["body"] };
        const response = await this.answer(got);
        this.received.push(got);
        return response;
      },
    });
  }

  /** Its address, with this path. */
  url(path = "/"): string {
    return `http://127.0.0.1:${this.#server.port}${path}`;
  }

  /** What came so far of an event, as its headers name it. */
  of(type: string): Received[] {
    return this.received.filter(({ headers }) => headers["x-gitea-event-type"] === type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
