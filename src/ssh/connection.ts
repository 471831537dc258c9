import type { Socket } from "node:net";
import type { AuthContext, Connection as SshClient, PublicKeyAuthContext, ServerChannel, Session } from "ssh2";
import { keyFingerprint } from "../auth/identify/identify-key.ts";
import { describeError } from "../db/pg-errors.ts";
import { calledAtOfAddress } from "../http/called-at.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { principalOf } from "../auth/principal.ts";
import { messageOf } from "../lib/errors.ts";
import { actAs } from "../lib/request-context.ts";
import { Conversation } from "./conversation.ts";
import { reusePacketMemory } from "./reuse-packet-memory.ts";
import { RoundTrip } from "./round-trip.ts";
import { runCommand, type SignedIn } from "./run-command.ts";
import { isAcceptedAlgorithm, isSignedBy } from "../domain/git/signatures/verify-ssh-signature.ts";

/** Commands that one connection may run at the same time, for clients that share one. */
const sessionsPerConnection = 10;
/** The longest value of the variable for git's protocol version. */
const longestVariable = 256;
/** How long a client has to take what it is sent last. */
const goodbyeMs = 2000;
const methods = ["publickey" as const];

/** A method of the library that its types lack. */
interface Pinging {
  readonly _protocol?: { ping?(): void };
}

/**
 * One client's connection: it proves its key within the time for that, then runs commands. Everything else that SSH can
 * do (passwords, terminals, forwarding of ports and agents, files) is refused, most of it by the library, for which
 * nobody listens to it.
 */
export class Connection {
  readonly #forge: Forge;
  readonly #socket: Socket;
  readonly #conversations = new Set<Conversation>();
  readonly #roundTrip = new RoundTrip();
  #client: SshClient | null = null;
  #signedIn: SignedIn | null = null;
  /** A key that would do when it was asked about, to be used next. Whether it still does is looked up for each command. */
  #knownKey: string | null = null;
  /** Whether the client looks for its end only when it has received something, not when it has written its last output. */
  #looksUpLate = false;
  #sessions = 0;
  /** Requests to sign in: those that were refused, and all, in which a key is asked about before it is used. */
  #refused = 0;
  #asked = 0;
  #gone = false;
  #stopping = false;
  #timer: ReturnType<typeof setTimeout>;

  constructor(
    forge: Forge,
    socket: Socket,
    readonly address: string,
  ) {
    this.#forge = forge;
    this.#socket = socket;
    this.#timer = setTimeout(() => this.close(), forge.config.ssh.handshake_timeout_seconds * 1000);
    socket.once("close", () => this.#lost());
    socket.on("error", () => this.#lost());
  }

  /** Whether somebody's key was accepted. */
  get isSignedIn(): boolean {
    return this.#signedIn !== null;
  }

  /** Goes on with a client that has said hello, and what it is. */
  attach(client: SshClient, software: string): void {
    this.#client = client;
    this.#looksUpLate = software.startsWith("dropbear");
    client.on("error", (error: Error) => {
      this.#lost();
      this.#forge.log.debug({ address: this.address, reason: messageOf(error) }, "An SSH connection broke");
    });
    client.on("handshake", () => reusePacketMemory(client));
    client.on("end", () => this.#lost());
    client.on("close", () => this.#lost());
    client.on("authentication", (context) => {
      this.#authenticate(context).catch((error: unknown) => {
        if (!this.#gone) {
          this.#forge.log.error(describeError(error), "An SSH key could not be looked up");
        }
        this.close();
      });
    });
    client.on("ready", () => {
      this.#rest();
      // Behind the library's own listener: what it has taken by then is counted.
      this.#socket.on("data", () => {
        for (const conversation of this.#conversations) {
          if (conversation.isOverrun) {
            this.#socket.destroy();
          }
          conversation.heard();
        }
      });
    });
    client.on("session", (accept, reject) => {
      this.#roundTrip.answered();
      if (this.#stopping || this.#sessions >= sessionsPerConnection) {
        reject();
      } else {
        this.#openSession(accept());
      }
    });
  }

  /** Lets commands that run come to their end, and nothing new begin. */
  stop(): void {
    this.#stopping = true;
    if (this.#conversations.size === 0) {
      this.close();
    }
  }

  /** Ends everything now. */
  close(): void {
    if (this.#client === null) {
      return this.destroy();
    }
    try {
      this.#client.end();
    } catch {
      // The library cannot say good-bye on a connection that has broken.
    }
    setTimeout(() => this.destroy(), goodbyeMs).unref();
  }

  /** Ends everything without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  async #authenticate(context: AuthContext): Promise<void> {
    const { ssh } = this.#forge.config;
    this.#roundTrip.answered();
    const signedIn =
      context.method === "publickey" && isAcceptedAlgorithm(context.key.algo, context.hashAlgo)
        ? await this.#checkKey(context)
        : null;
    if (this.#gone) {
      return;
    }
    if (++this.#asked > 3 * ssh.authentication_tries) {
      return this.close();
    }
    this.#roundTrip.asked();
    if (signedIn === null) {
      // A client begins with "none" to hear what it may try.
      this.#refused += context.method === "none" ? 0 : 1;
      return this.#refused >= ssh.authentication_tries ? this.close() : context.reject(methods);
    }
    if (signedIn !== "known") {
      this.#signedIn = signedIn;
    }
    context.accept();
  }

  /** "known" for a key that is asked about before it is used; null for one that opens nothing, or was not used rightly. */
  async #checkKey(context: PublicKeyAuthContext): Promise<SignedIn | "known" | null> {
    const { key, signature, blob, hashAlgo: hash } = context;
    const fingerprint = keyFingerprint(key.data);
    if (fingerprint !== this.#knownKey && (await this.#forge.identity.identifyKey(fingerprint, {})) === null) {
      return null;
    }
    this.#knownKey = fingerprint;
    if (signature === undefined || blob === undefined) {
      return "known";
    }
    return isSignedBy({ algorithm: key.algo, hash, key: key.data, message: blob, signature })
      ? { fingerprint, username: context.username, address: this.address }
      : null;
  }

  /** A signed-in client may stay without a command for a while, to use the connection again. */
  #rest(): void {
    clearTimeout(this.#timer);
    if (this.#gone) {
      return;
    }
    this.#timer = setTimeout(() => this.close(), this.#forge.config.ssh.idle_timeout_seconds * 1000);
  }

  #openSession(session: Session): void {
    this.#sessions++;
    let gitProtocol: string | null = null;
    this.#roundTrip.asked();
    session.on("env", (accept, reject, { key, val }) => {
      this.#roundTrip.answered();
      if (key === "GIT_PROTOCOL" && val.length <= longestVariable) {
        gitProtocol = val;
        accept?.();
      } else {
        reject?.();
      }
    });
    session.on("exec", (accept, _reject, { command }) => this.#run(accept(), command, gitProtocol));
    session.on("shell", (accept) => this.#run(accept(), null, gitProtocol));
    session.on("close", () => {
      this.#sessions--;
      if (this.#looksUpLate && !this.#gone) {
        (this.#client as Pinging | null)?._protocol?.ping?.();
      }
    });
  }

  #run(channel: ServerChannel, line: string | null, gitProtocol: string | null): void {
    const signedIn = this.#signedIn;
    if (signedIn === null) {
      return this.close();
    }
    this.#roundTrip.answered();
    const conversation = new Conversation(channel, this.#socket, {
      idleMs: this.#forge.config.ssh.idle_timeout_seconds * 1000,
      roundTripMs: this.#roundTrip.ms,
    });
    this.#conversations.add(conversation);
    clearTimeout(this.#timer);
    const { addresses, config } = this.#forge;
    const running = actAs(
      principalOf(this.address),
      () => runCommand(this.#forge, signedIn, line, gitProtocol, conversation),
      calledAtOfAddress(this.#socket.localAddress ?? "", addresses.own.base, config.server),
    );
    void running.finally(() => {
      this.#conversations.delete(conversation);
      if (this.#stopping) {
        // Not before the end of the channel is on its way.
        setImmediate(() => this.stop());
      } else if (this.#conversations.size === 0) {
        this.#rest();
      }
    });
  }

  /** The connection is gone, or the library has given it up. */
  #lost(): void {
    if (this.#gone) {
      return;
    }
    this.#gone = true;
    clearTimeout(this.#timer);
    setTimeout(() => this.destroy(), goodbyeMs).unref();
    for (const conversation of this.#conversations) {
      conversation.connectionLost();
    }
  }
}
