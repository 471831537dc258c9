/** The library's window towards a client: how many bytes it allows at the moment. */
interface Outgoing {
  readonly window: number;
}

/** How much of its window a client has to open again before it is sent more: an eighth of it, and no more than a piece. */
const windowShare = 8;
const enoughWindow = 256 * 1024;
/**
 * How many unread bytes a client may have when it is sent more. OpenSSH does not report what it has read below three
 * messages of 32 KB.
 */
const unreadBytes = 128 * 1024;
/** How many bytes a gigabit line carries in a millisecond: these are on the way. */
const underWayPerMs = 128 * 1024;
/**
 * How long a client may open nothing of its window before it is sent what it allows: one that has told before what it has
 * read is waited for, since its machine may be busy, and of others it is not known whether they tell before they have read all.
 */
const patienceMs = { told: 100, unknown: 20 };
/** How many times more may lie unread at a client for which this was waited in vain. */
const growth = 4;

/**
 * Says when a client should be sent the next bytes: not each time that it opens its window a little, nor all that it allows
 * while it tells that it still reads.
 * - A client that reads slower than it is sent to opens its window by 64 KB each time; to be woken, encrypt and send for
 *   these costs as much again as the same bytes in larger pieces.
 * - OpenSSH allows 2 MB and keeps what its git has not read in one buffer, which it copies to a larger one for each message
 *   that comes: in a clone of 20 MB that took a fifth of all time on its side, and is spared where little lies there.
 */
export class SendWindow {
  readonly #outgoing: Outgoing;
  #unreadLimit: number;
  /** The largest window seen, which is what the client allows when it has read all. */
  #largest = 0;
  /** The rest of the window at the last look. */
  #left = Number.MAX_SAFE_INTEGER;
  /** Whether the client has ever told that it has read something. */
  #tells = false;
  #look: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `roundTripMs`: how long it takes until an answer of the client is here. */
  constructor(outgoing: Outgoing, roundTripMs: number) {
    this.#outgoing = outgoing;
    this.#unreadLimit = unreadBytes + roundTripMs * underWayPerMs;
  }

  /** Calls `send`, now or later, when as many of so many bytes as the window allows should be sent. */
  whenOpenFor(bytes: number, send: (allowed: number) => void): void {
    const sendNow = (): void => {
      this.stop();
      const allowed = Math.min(bytes, this.#outgoing.window);
      this.#left = this.#outgoing.window - allowed;
      send(allowed);
    };
    const look = (): void => {
      const { window } = this.#outgoing;
      const opened = window > this.#left;
      this.#tells ||= opened;
      this.#left = window;
      this.#largest = Math.max(this.#largest, window);
      const enough = Math.min(bytes, enoughWindow, Math.max(1, this.#largest / windowShare));
      if (window >= enough && this.#largest - window <= this.#unreadLimit) {
        return sendNow();
      }
      this.#look = look;
      if (opened) {
        this.#stopTimer();
      }
      if (window > 0) {
        this.#timer ??= setTimeout(
          () => {
            this.#unreadLimit *= growth;
            sendNow();
          },
          this.#tells ? patienceMs.told : patienceMs.unknown,
        );
      }
    };
    look();
  }

  /** To be called when the client has sent anything: its window may be larger now. */
  lookAgain(): void {
    this.#look?.();
  }

  /** Nothing is to be sent any more. */
  stop(): void {
    this.#look = null;
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }
}
