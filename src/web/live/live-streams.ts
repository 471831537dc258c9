import type { Subject } from "../../auth/subject.ts";
import { principalOf } from "../../auth/principal.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { FairShare } from "../../lib/fair-share.ts";
import { LiveStream, type Look, type Sight } from "./live-stream.ts";

/** Open pages of one session. Hidden pages close theirs, so it is the number of windows side by side. */
const mostOfSession = 2;
/** So many addresses share all streams at least. */
const addressesAtLeast = 10;
/** Looks at rights at once: all streams of a popular page have to look at the same time. */
const looksAtOnce = 8;
const tickMs = 1000;

const what = "open pages that are told of changes";

/** All streams of this process, and how many there may be. */
export class LiveStreams {
  readonly #sessions: FairShare;
  readonly #addresses: FairShare;
  readonly #looks = new FairShare({
    what: "looks at what open pages show",
    places: looksAtOnce * 2,
    placesEach: looksAtOnce,
    waiting: Infinity,
    waitingEach: Infinity,
  });
  readonly #streams = new Set<LiveStream>();
  #timer: Timer | null = null;

  constructor(private readonly forge: Forge) {
    const { live_streams: places } = forge.config.web;
    const none = { what, waiting: 0, waitingEach: 0 };
    this.#sessions = new FairShare({ ...none, places, placesEach: mostOfSession });
    this.#addresses = new FairShare({ ...none, places, placesEach: Math.ceil(places / addressesAtLeast) });
    forge.live.closing.addEventListener("abort", () => this.#endAll(), { once: true });
  }

  /** Opens a stream. `since`: when the page was read, milliseconds. Throws Busy beyond the limits, and what `look` throws. */
  async open(
    { subject, address, since }: { subject: Subject; address: string; since: number },
    look: () => Promise<Sight>,
  ): Promise<LiveStream> {
    const { actor, credential } = subject;
    using stack = new DisposableStack();
    stack.use(await this.#addresses.take(principalOf(address)));
    if (actor !== null) {
      const session = credential.kind === "session" ? `session ${credential.sessionId}` : `user ${actor.id}`;
      stack.use(await this.#sessions.take(session));
    }
    const first = await look();
    const places = stack.move();
    const stream = new LiveStream(this.forge.live, this.#quietly(look), first, since, (one) => {
      places.dispose();
      this.#remove(one);
    });
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
    if (this.forge.live.closing.aborted) {
      stream[Symbol.dispose]();
    }
    return stream;
  }

  #quietly(look: () => Promise<Sight>): Look {
    return async () => {
      using _place = await this.#looks.take("streams");
      // A fault ends the stream as a refusal does. The page opens another one, which tells why it cannot.
      return look().catch(() => null);
    };
  }

  #tick(): void {
    const now = Date.now();
    for (const stream of this.#streams) {
      stream.tick(now);
    }
  }

  #remove(stream: LiveStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  #endAll(): void {
    for (const stream of this.#streams) {
      stream[Symbol.dispose]();
    }
  }
}
