import { messageOf } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { readCertificate, stampOf, type CertificateFiles, type TlsPair } from "./certificate.ts";

/** The handler and the address of a server: Bun's options of the same names. */
export interface Served {
  readonly hostname: string;
  readonly port: number;
  readonly idleTimeout: number;
  readonly maxRequestBodySize: number;
  fetch(request: Request, server: Bun.Server<undefined>): Promise<Response>;
  error(error: Error): Response;
}

/** How often the files of a certificate are looked at. */
const lookMs = 60_000;
const retryMs = 500;

/**
 * Listens for HTTP, or with a certificate for HTTPS. A new certificate in the same files is used without a restart: `renew`
 * reads it, and so does a look each minute. Bun cannot give a listening server another certificate, so a new server takes
 * the port over, while the one before finishes its requests.
 */
export class Listener {
  #server: Bun.Server<undefined>;
  /** The servers before, until their requests are finished. */
  readonly #finishing = new Set<Bun.Server<undefined>>();
  #stamp = "";
  #stopping = false;
  #renewing: Promise<void> = Promise.resolve();
  readonly #looking: ReturnType<typeof setInterval> | undefined;

  private constructor(
    private readonly served: Served,
    private readonly files: CertificateFiles | null,
    private readonly log: Logger,
    private pair: TlsPair | null,
  ) {
    this.#server = this.#serve(served.port);
    if (files !== null) {
      this.#looking = setInterval(() => void this.renew({ onlyIfWritten: true }), lookMs);
      this.#looking.unref();
    }
  }

  /** Throws the system's error when the address is taken or not to be had, and CertificateUnusable. */
  static async start(served: Served, files: CertificateFiles | null, log: Logger): Promise<Listener> {
    if (files === null) {
      return new Listener(served, null, log, null);
    }
    const stamp = await stampOf(files);
    const listener = new Listener(served, files, log, await readCertificate(files));
    listener.#stamp = stamp;
    return listener;
  }

  get port(): number {
    return this.#server.port ?? this.served.port;
  }

  #serve(port: number): Bun.Server<undefined> {
    return Bun.serve({ ...this.served, port, ...(this.pair === null ? {} : { tls: this.pair }) });
  }

  /**
   * Uses what the files of the certificate hold now. What cannot be used is logged, and the certificate before stays.
   * `onlyIfWritten`: unless the files are as they were at the last try.
   */
  renew({ onlyIfWritten }: { onlyIfWritten: boolean }): Promise<void> {
    const { files } = this;
    if (files !== null) {
      this.#renewing = this.#renewing.then(() => this.#renew(files, onlyIfWritten));
    }
    return this.#renewing;
  }

  async #renew(files: CertificateFiles, onlyIfWritten: boolean): Promise<void> {
    const stamp = await stampOf(files);
    if (onlyIfWritten && stamp === this.#stamp) {
      return;
    }
    this.#stamp = stamp;
    try {
      const pair = await readCertificate(files);
      if (pair.cert !== this.pair?.cert || pair.key !== this.pair.key) {
        // Whether Bun takes it has to be known before the port is given up.
        await Bun.serve({ ...this.served, hostname: "127.0.0.1", port: 0, tls: pair }).stop(true);
        this.pair = pair;
        await this.#replaceServer();
        this.log.info({ certificate: files.certificate }, "Took a new certificate");
      }
    } catch (error) {
      this.log.error({ reason: messageOf(error) }, "A new certificate was not taken; the one before stays in use");
    }
  }

  async #replaceServer(): Promise<void> {
    const [before, { port }] = [this.#server, this];
    this.#finishing.add(before);
    void before.stop().finally(() => this.#finishing.delete(before));
    while (!this.#stopping) {
      try {
        this.#server = this.#serve(port);
        return;
      } catch (error) {
        this.log.error({ port, reason: messageOf(error) }, "Another process took the port; it is tried again");
        await Bun.sleep(retryMs);
      }
    }
  }

  /** Stops listening. Requests have `graceMs` to finish; returns false when some were cut off then. */
  async stop(graceMs: number): Promise<boolean> {
    clearInterval(this.#looking);
    this.#stopping = true;
    await this.#renewing;
    const servers = [this.#server, ...this.#finishing];
    const stopped = Promise.all(servers.map((server) => server.stop())).then(() => true);
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(resolve, graceMs, false);
    const inTime = await Promise.race([stopped, late]);
    clearTimeout(timer);
    if (!inTime) {
      await Promise.all(servers.map((server) => server.stop(true)));
    }
    return inTime;
  }
}
