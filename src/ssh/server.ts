import { createServer, type Server, type Socket } from "node:net";
import type * as Ssh2 from "ssh2";
import { FailedSignIns, networkOf } from "../auth/failed-sign-ins.ts";
import type { Config } from "../config/config.ts";
import type { Forge } from "../domain/spine/forge.ts";
import { StithyError, messageOf } from "../lib/errors.ts";
import { version } from "../lib/version.ts";
import { gcmCiphers, hearClient } from "./client-hello.ts";
import { Connection } from "./connection.ts";
import { gatherWrites } from "./gather-writes.ts";
import type { HostKey, HostKeys } from "./host-keys.ts";
import { refuse } from "./refuse.ts";

/** SSH cannot listen where it should. */
class SshCannotListen extends StithyError {
  constructor(code: unknown, host: string, port: number, cause: unknown) {
    const reasons: Record<string, string> = {
      EADDRINUSE: `The port ${port} of ${host} is in use: stop what listens there, choose another with ssh.port (--ssh-port), or turn SSH off with ssh.enabled`,
      EACCES: `The port ${port} of ${host} is only for processes with more rights: choose one above 1023 with ssh.port (--ssh-port)`,
    };
    super(
      code === "EADDRINUSE" ? "conflict" : "fault",
      code === "EADDRINUSE" ? "ssh-port-in-use" : "ssh-cannot-listen",
      reasons[String(code)] ?? `SSH cannot listen on "${host}", port ${port}: ${messageOf(cause)}`,
      { host, port },
      { cause },
    );
  }
}

/**
 * The algorithms that both sides may agree on. Weak ones are left out, those that cost the server much for an
 * unauthenticated client (large groups), and compression: packs are compressed already, and inflating is no work for
 * this thread.
 */
const algorithms: Ssh2.Algorithms = {
  // The client's order decides. First is what no client guesses that we like best: of those that send a message by their
  // guess, such as dropbear, the library passes over that of a right guess, too, and both sides would wait for ever.
  kex: [
    "ecdh-sha2-nistp521",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "diffie-hellman-group14-sha256",
  ],
  serverHostKey: ["ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512", "rsa-sha2-256"],
  cipher: [...gcmCiphers, "aes128-ctr", "aes256-ctr"],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
};
/** The library puts the version of the protocol before it. */
const ident = `Stithy_${version}`;
const firstLine = `SSH-2.0-${ident}\r\n`;
/** How many networks are remembered from which somebody signed in. */
const familiarNetworks = 10_000;
const keepaliveMs = 15_000;
const unansweredKeepalives = 4;

/** Has a listener listen where the settings say. Throws SshCannotListen. */
async function listenAt(listener: Server, { ssh, server }: Config): Promise<void> {
  const host = ssh.host || server.host;
  await new Promise<void>((resolve, reject) => {
    listener.once("error", (error: NodeJS.ErrnoException) =>
      reject(new SshCannotListen(error.code, host, ssh.port, error)),
    );
    listener.listen({ port: ssh.port, host }, () => {
      listener.removeAllListeners("error");
      resolve();
    });
  });
}

/** The library, for clients that have AES-GCM, and for those of which it is not known. */
interface Speakers {
  gcm: Ssh2.Server;
  any: Ssh2.Server;
}

/**
 * The SSH server. The sockets are ours and are given to the library only when they are within the limits. Disposing
 * stops it: nothing new begins, and commands that run have the grace period to finish.
 */
export class SshServer implements AsyncDisposable {
  readonly #forge: Forge;
  readonly #listener: Server;
  readonly #failures: FailedSignIns;
  /**
   * Networks from which somebody signed in, the least recently used first. Keys cannot be guessed, so a program with an
   * old key does not lock out others at its address. The limit bounds the work that strangers cause.
   */
  readonly #familiar = new Set<string>();
  readonly #connections = new Map<string, Connection>();
  readonly #perNetwork = new Map<string, number>();
  #hostKeys: readonly HostKey[];
  /** null: not since the start or since a host key came. */
  #speakers: Promise<Speakers> | null = null;
  #stopping = false;
  #drained: () => void = () => {};

  private constructor(forge: Forge, hostKeys: HostKeys) {
    this.#forge = forge;
    this.#failures = new FailedSignIns(forge.config.ssh.failed_connections_per_minute);
    this.#hostKeys = hostKeys.ready;
    this.#listener = createServer((socket) => this.#admit(socket));
  }

  /** Starts to listen. Throws if the address cannot be bound (codes "ssh-port-in-use", "ssh-cannot-listen"). */
  static async listen(forge: Forge, hostKeys: HostKeys): Promise<SshServer> {
    const server = new SshServer(forge, hostKeys);
    await listenAt(server.#listener, forge.config);
    server.#listener.on("error", (error) =>
      forge.log.error({ reason: messageOf(error) }, "SSH could not accept a connection"),
    );
    void server.#addMissing(hostKeys);
    return server;
  }

  /** Throws SshCannotListen if SSH is on and its port cannot be bound now. */
  static async checkPort(config: Config): Promise<void> {
    if (config.ssh.enabled) {
      const listener = createServer();
      await listenAt(listener, config);
      await new Promise((resolve) => listener.close(resolve));
    }
  }

  /** The port that it listens on. */
  get port(): number {
    const address = this.#listener.address();
    return typeof address === "object" && address !== null ? address.port : this.#forge.config.ssh.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    this.#listener.close();
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    for (const connection of this.#connections.values()) {
      connection.stop();
    }
    const { shutdown_grace_seconds: seconds } = this.#forge.config.server;
    const timer = setTimeout(() => {
      this.#forge.log.warn({ seconds }, "Commands over SSH still ran at the end of the grace period and were cut off");
      for (const connection of this.#connections.values()) {
        connection.destroy();
      }
    }, seconds * 1000);
    if (this.#connections.size > 0) {
      await drained;
    }
    clearTimeout(timer);
  }

  /** Takes a new socket, unless a limit is against it. */
  #admit(socket: Socket): void {
    const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    const name = `${socket.remoteAddress} ${socket.remotePort}`;
    const network = networkOf(address);
    const refusal = this.#refusal(address, network);
    if (refusal !== null) {
      return refuse(socket, firstLine, refusal);
    }
    const connection = new Connection(this.#forge, socket, address);
    this.#connections.set(name, connection);
    this.#perNetwork.set(network, (this.#perNetwork.get(network) ?? 0) + 1);
    socket.once("close", () => {
      this.#connections.delete(name);
      const left = (this.#perNetwork.get(network) ?? 1) - 1;
      if (left > 0) {
        this.#perNetwork.set(network, left);
      } else {
        this.#perNetwork.delete(network);
      }
      if (connection.isSignedIn) {
        this.#remember(network);
      } else {
        this.#failures.record(address);
      }
      if (this.#stopping && this.#connections.size === 0) {
        this.#drained();
      }
    });
    socket.setNoDelay(true);
    void this.#greet(socket);
  }

  /** Says who we are, and lets the library go on when it is known what the client can do. */
  async #greet(socket: Socket): Promise<void> {
    socket.write(firstLine);
    const [{ hasGcm }, speakers] = await Promise.all([hearClient(socket), this.#loadSpeakers()]);
    if (!socket.destroyed) {
      gatherWrites(socket);
      dropFirstLine(socket);
      speakers[hasGcm ? "gcm" : "any"].injectSocket(socket);
    }
  }

  /** Notes that somebody signed in from there. */
  #remember(network: string): void {
    this.#familiar.delete(network);
    if (this.#familiar.size >= familiarNetworks) {
      this.#familiar.delete(this.#familiar.values().next().value ?? "");
    }
    this.#familiar.add(network);
  }

  #refusal(address: string, network: string): string | null {
    const { connections, connections_per_address: perAddress } = this.#forge.config.ssh;
    if (this.#stopping) {
      return "The server is stopping";
    }
    if (this.#connections.size >= connections || (this.#perNetwork.get(network) ?? 0) >= perAddress) {
      return "Too many connections: try again later";
    }
    if (this.#familiar.has(network)) {
      return null;
    }
    try {
      this.#failures.check(address);
      return null;
    } catch {
      return "Too many connections without a valid key: try again in a minute";
    }
  }

  async #addMissing(hostKeys: HostKeys): Promise<void> {
    const made = await hostKeys.makeMissing();
    if (made !== null) {
      this.#hostKeys = [...hostKeys.ready, made];
      this.#speakers = null;
    }
  }

  /** The library is loaded with the first connection, while its client says what it can do: it takes 30 ms and 4 MB. */
  #loadSpeakers(): Promise<Speakers> {
    this.#speakers ??= import("ssh2").then((library) => ({
      gcm: this.#speaker(library, { ...algorithms, cipher: gcmCiphers }),
      any: this.#speaker(library, algorithms),
    }));
    return this.#speakers;
  }

  #speaker(library: typeof Ssh2, algorithms: Ssh2.Algorithms): Ssh2.Server {
    return new library.Server(
      {
        hostKeys: this.#hostKeys.map(({ privateKey }) => ({ key: privateKey })),
        algorithms,
        ident,
        keepaliveInterval: keepaliveMs,
        keepaliveCountMax: unansweredKeepalives,
      },
      (client, { ip, port, header }) =>
        this.#connections.get(`${ip} ${port}`)?.attach(client, header.versions.software),
    );
  }
}

/** The library begins with the line that the client has been sent already. */
function dropFirstLine(socket: Socket): void {
  const write = socket.write as (chunk: Uint8Array | string) => boolean;
  socket.write = (chunk: Uint8Array | string) => {
    socket.write = write;
    return Buffer.from(chunk).toString("latin1") === firstLine || write(chunk);
  };
}
