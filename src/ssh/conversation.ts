import type { Socket } from "node:net";
import type { ServerChannel } from "ssh2";
import { StithyError } from "../lib/errors.ts";
import { nextTurn } from "../lib/turns.ts";
import { SendWindow } from "./send-window.ts";

/** The client is not there any more, or does not do its part. */
export class ClientGone extends StithyError {
  constructor(reason: string) {
    super("cancelled", "ssh-client-gone", reason);
  }
}

/** The library's flow control of a channel, which its types lack. */
interface Flow {
  outgoing: { window: number; packetSize: number; state: "open" | "eof" | "closing" | "closed" };
  /** The connection, with the messages that wait until new keys are agreed on. */
  _client?: {
    once(event: "handshake", listener: () => void): unknown;
    readonly _protocol?: { readonly _queue?: readonly unknown[] };
  };
}

/** The smallest packets that a client may ask for: RFC 4253 has every client take 32 KB. */
const smallestPacket = 1024;
/** How much the socket may hold back before the next bytes are requested. */
const unsentBytes = 512 * 1024;
/** How much waits here for its reader before the channel is paused. */
const queueBytes = 256 * 1024;
/** How much an honest client can have sent that nobody has read: the library's buffer and the window behind it. */
const unreadBytes = 8 * 1024 * 1024;

/**
 * One command's conversation with its client over a channel. Both directions wait for the other side: no more is under
 * way than it allows, nor than the socket takes. When the client leaves, or stops doing anything for `idleMs` while it is
 * its turn, `signal` is aborted and both directions throw ClientGone.
 */
export class Conversation {
  readonly #channel: ServerChannel;
  readonly #flow: Flow;
  readonly #socket: Socket;
  readonly #window: SendWindow;
  readonly #gone = new AbortController();
  readonly #queue: Uint8Array[] = [];
  #queued = 0;
  #ended = false;
  #moved = Date.now();
  /** How many of our two directions wait for the client. */
  #waiting = 0;
  #wakeReader: () => void = () => {};
  #failWriter: (reason: unknown) => void = () => {};
  readonly #timer: ReturnType<typeof setInterval>;

  /** `roundTripMs`: how long it takes until an answer of the client is here. */
  constructor(
    channel: ServerChannel,
    socket: Socket,
    { idleMs, roundTripMs }: { idleMs: number; roundTripMs: number },
  ) {
    this.#channel = channel;
    this.#flow = channel as unknown as Flow;
    this.#socket = socket;
    this.#window = new SendWindow(this.#flow.outgoing, roundTripMs);
    this.#timer = setInterval(
      () => {
        if (this.#waiting > 0 && Date.now() - this.#moved > idleMs) {
          this.leave("The client did nothing for too long");
        }
      },
      Math.min(idleMs, Math.max(20, idleMs / 10)),
    );
    channel.on("data", (chunk: Uint8Array) => this.#take(chunk));
    channel.on("end", () => this.#end());
    channel.on("close", () => this.leave("The client closed the channel"));
    channel.on("error", () => this.leave("The channel broke"));
    channel.stderr.on("error", () => this.leave("The channel broke"));
    if (this.#flow.outgoing.packetSize < smallestPacket) {
      this.leave("The client takes too small packets");
    }
  }

  /** Aborted when the client has left. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Yields what the client sends. The channel stays open for an answer if the caller stops reading. */
  async *input(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      this.signal.throwIfAborted();
      const chunk = this.#queue.shift();
      if (chunk !== undefined) {
        this.#queued -= chunk.length;
        yield chunk;
      } else if (this.#ended) {
        return;
      } else {
        await this.#whileWaiting(
          new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
            this.#channel.resume();
          }),
        );
      }
    }
  }

  /** Sends bytes; resolves when the next ones may come, and not before everybody else has had a turn. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#keysAgreed();
    await this.#send((done) => this.#writeWithinWindow(bytes, done));
    // Encrypting is work for this thread: five clones one window after the other held it for up to 45 ms, so for up to 10.
    await nextTurn();
    if (this.#socket.writableNeedDrain && this.#socket.writableLength > unsentBytes) {
      await this.#send((done) => this.#socket.once("drain", done));
    }
  }

  /** To be called when the client has sent anything: it may take more now. */
  heard(): void {
    this.#window.lookAgain();
  }

  /** Sends text for the person, which clients show on standard error. */
  async tell(text: string): Promise<void> {
    // The library mixes up its two directions when this has to wait for the client's window.
    if (this.#flow.outgoing.window > 2 * text.length) {
      await this.#send((done) => this.#channel.stderr.write(text.endsWith("\n") ? text : `${text}\n`, done));
    }
  }

  /** Ends the command. */
  finish(exitStatus: number): void {
    if (!this.signal.aborted) {
      this.#channel.exit(exitStatus);
      this.#channel.end();
    }
    clearInterval(this.#timer);
  }

  /** Ends everything without an answer: the client has gone, or is to go. */
  leave(reason: string): void {
    if (this.signal.aborted) {
      return;
    }
    clearInterval(this.#timer);
    this.#window.stop();
    this.#gone.abort(new ClientGone(reason));
    this.#wakeReader();
    this.#failWriter(this.signal.reason);
    // It closes whatever it sends; a channel whose connection is gone must not try to.
    if (this.#flow.outgoing.state === "open") {
      this.#channel.close();
    }
  }

  /** Says that the connection is gone: from here on the library would throw where nobody can catch it. */
  connectionLost(): void {
    this.#flow.outgoing.state = "closed";
    this.leave("The connection was closed");
  }

  /** Whether the client has sent more than it was allowed to: the library takes it all. */
  get isOverrun(): boolean {
    return this.#channel.readableLength > unreadBytes;
  }

  #take(chunk: Uint8Array): void {
    this.#moved = Date.now();
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued > queueBytes) {
      this.#channel.pause();
    }
    this.#wakeReader();
  }

  #end(): void {
    this.#ended = true;
    this.#wakeReader();
  }

  async #send(start: (done: () => void) => void): Promise<void> {
    this.signal.throwIfAborted();
    await this.#whileWaiting(
      new Promise<void>((resolve, reject) => {
        this.#failWriter = reject;
        start(resolve);
      }),
    );
    this.#moved = Date.now();
  }

  /** Hands the library no more than the client's window: it would go on with each message that opens that a little. */
  #writeWithinWindow(bytes: Uint8Array, done: () => void): void {
    if (this.signal.aborted) {
      return;
    }
    this.#window.whenOpenFor(bytes.length, (allowed) => {
      const whole = allowed === bytes.length;
      this.#channel.write(
        whole ? bytes : bytes.subarray(0, allowed),
        whole ? done : () => this.#writeWithinWindow(bytes.subarray(allowed), done),
      );
    });
  }

  /**
   * The library keeps whatever is sent while new keys are agreed on. A client may allow 2 GB at once, as PuTTY does, and
   * never get to the end of that, so no more than one piece waits there.
   */
  async #keysAgreed(): Promise<void> {
    const { _client: client } = this.#flow;
    while ((client?._protocol?._queue?.length ?? 0) > 0) {
      await this.#send((done) => client?.once("handshake", done));
    }
  }

  async #whileWaiting(done: Promise<void>): Promise<void> {
    if (this.#waiting++ === 0) {
      this.#moved = Date.now();
    }
    try {
      await done;
    } finally {
      this.#waiting--;
    }
  }
}
