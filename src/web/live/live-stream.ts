import type { LiveHub } from "../../domain/server/live/live-hub.ts";
import type { LiveSubject } from "../../domain/spine/live-subject.ts";

/** What a reader may see now of what a page looks at. */
export interface Sight {
  readonly subjects: readonly LiveSubject[];
  /** null: nobody is signed in. */
  readonly inbox: { readonly subject: LiveSubject; readonly unread: number } | null;
}

/** Looks with the rights that the reader has now; null: they have lost them. */
export type Look = () => Promise<Sight | null>;

/** Changes within this time are told as one, and so many milliseconds lie between two messages. */
const gatherMs = 150;
const restMs = 1000;
/** A message at least so often, for proxies and to find out who is gone, ms. */
const beatMs = 20_000;
/** How often it is looked whether the reader may still look, ms. */
const checkMs = 60_000;
/** A page opens another stream then, ms. */
const longestMs = 30 * 60_000;
/** A reader who has not taken a message for so long is gone, ms. */
const patienceMs = 60_000;

const encoder = new TextEncoder();

/**
 * The stream of events of one page (text/event-stream). It says `changed` when the page has to read itself again, and `unread` with the number of
 * unread notifications. It holds what is to be said and no queue of messages: a reader who is slow gets the latest.
 */
export class LiveStream implements Disposable {
  readonly body: ReadableStream<Uint8Array>;
  /** What is to be said with the next message. */
  #isChanged: boolean;
  #unread: number | null;
  #isBeat = false;
  /** What was heard and not looked at yet. */
  #heard = { page: false, inbox: false };
  #lastUnread: number | null;
  #timer: Timer | undefined;
  #looking = false;
  /** The reader has no rights any more. They are told nothing, not even by an end of the stream at the time of an event. */
  #isLost = false;
  #said = 0;
  #waitsSince: number | null = null;
  #nextCheck: number;
  readonly #endsAt: number;
  #ended = false;
  #listening: Disposable[] = [];
  #subjects = "";
  readonly #take: { resolve: () => void }[] = [];

  constructor(
    private readonly hub: LiveHub,
    private readonly look: Look,
    first: Sight,
    since: number,
    private readonly onEnd: (stream: LiveStream) => void,
  ) {
    const now = Date.now();
    this.#nextCheck = now + checkMs;
    this.#endsAt = now + longestMs;
    this.#isChanged = first.subjects.length > 0 && hub.hasChanged(first.subjects, since);
    this.#unread = first.inbox?.unread ?? null;
    this.#lastUnread = this.#unread;
    this.#isBeat = true;
    this.#listen(first);
    this.body = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this[Symbol.dispose]() },
      { highWaterMark: 0 },
    );
  }

  /** Called each second: says that it is there, looks at the rights, and ends what is over. */
  tick(now: number): void {
    if (now >= this.#endsAt || (this.#waitsSince !== null && now - this.#waitsSince > patienceMs)) {
      this[Symbol.dispose]();
      return;
    }
    if (now - this.#said > beatMs) {
      this.#isBeat = true;
      this.#wake();
    }
    if (now >= this.#nextCheck) {
      this.#nextCheck = now + checkMs;
      void this.#check();
    }
  }

  [Symbol.dispose](): void {
    if (this.#ended) {
      return;
    }
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    this.#wake();
    this.onEnd(this);
  }

  #stopListening(): void {
    for (const one of this.#listening.splice(0)) {
      one[Symbol.dispose]();
    }
  }

  #listen({ subjects, inbox }: Sight): void {
    const names = [...subjects, inbox?.subject ?? ""].join(" ");
    if (names === this.#subjects) {
      return;
    }
    this.#subjects = names;
    this.#stopListening();
    this.#listening.push(this.hub.listen(subjects, () => this.#hear("page")));
    if (inbox !== null) {
      this.#listening.push(this.hub.listen([inbox.subject], () => this.#hear("inbox")));
    }
  }

  #hear(what: "page" | "inbox"): void {
    this.#heard[what] = true;
    if (this.#timer === undefined && !this.#looking && !this.#ended) {
      const rest = this.#said + restMs - Date.now();
      this.#timer = setTimeout(() => void this.#tell(), Math.max(gatherMs, rest));
    }
  }

  /** Looks at the rights and says what was heard. */
  async #tell(): Promise<void> {
    this.#timer = undefined;
    this.#looking = true;
    const heard = this.#heard;
    this.#heard = { page: false, inbox: false };
    const sight = await this.look();
    this.#looking = false;
    if (this.#ended) {
      return;
    }
    this.#isLost ||= sight === null;
    if (sight === null || this.#isLost) {
      return;
    }
    this.#listen(sight);
    this.#isChanged ||= heard.page;
    this.#sayUnread(sight);
    this.#wake();
    for (const what of ["page", "inbox"] as const) {
      if (this.#heard[what]) {
        this.#hear(what);
      }
    }
  }

  #sayUnread({ inbox }: Sight): void {
    if (inbox !== null && inbox.unread !== this.#lastUnread) {
      this.#lastUnread = inbox.unread;
      this.#unread = inbox.unread;
    }
  }

  async #check(): Promise<void> {
    const sight = this.#isLost ? null : await this.look();
    if (sight === null) {
      this[Symbol.dispose]();
    } else if (!this.#ended) {
      this.#listen(sight);
      this.#sayUnread(sight);
      this.#wake();
    }
  }

  /** What is to be said; null: nothing. */
  #message(): string | null {
    const unread = this.#unread === null ? "" : `event: unread\ndata: ${this.#unread}\n\n`;
    const changed = this.#isChanged ? "event: changed\ndata: 1\n\n" : "";
    const text = unread + changed || (this.#isBeat ? ":\n\n" : null);
    this.#unread = null;
    this.#isChanged = false;
    this.#isBeat = false;
    return text;
  }

  #hasNews(): boolean {
    return this.#ended || this.#unread !== null || this.#isChanged || this.#isBeat;
  }

  #wake(): void {
    if (this.#hasNews()) {
      this.#waitsSince ??= Date.now();
      this.#take.pop()?.resolve();
    }
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (!this.#hasNews()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#take.push({ resolve });
      await promise;
    }
    const message = this.#message();
    this.#waitsSince = null;
    this.#said = Date.now();
    if (message !== null) {
      controller.enqueue(encoder.encode(message));
    }
    if (this.#ended) {
      controller.close();
    }
  }
}
