import type { Logger } from "../lib/log.ts";
import type { Account } from "./account.ts";
import type { Distribution } from "./distribution.ts";
import { PostgresFailed } from "./errors.ts";
import { type GuardedProcess, type ProcessEnd, startGuarded } from "./guarded-process.ts";
import type { Layout } from "./layout.ts";
import { findPostmasterFile } from "./postmaster-file.ts";
import { port, role } from "./settings.ts";

/** How to reach the server; what postgres.js takes as options. */
export interface Connection {
  /** The directory of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/**
 * After a crash a server replays its log first, which takes minutes in the worst case. It prints a line every ten seconds
 * then; one that prints nothing for so long does not start any more.
 */
const silenceMilliseconds = 10 * 60_000;
const smartMilliseconds = 2_000;
const fastMilliseconds = 30_000;
const immediateMilliseconds = 10_000;

/** One running server process. */
export class Postmaster {
  private constructor(
    readonly process: GuardedProcess,
    readonly connection: Connection,
  ) {}

  /**
   * Starts the server and waits until it says that it takes connections.
   * @param options.signal aborted when the wait is to be given up; the server is stopped then
   * @throws PostgresFailed when it ends instead, prints nothing for ten minutes or is given up
   */
  static async start(options: {
    layout: Layout;
    distribution: Distribution;
    account: Account;
    socketDirectory: string;
    log: Logger;
    signal: AbortSignal;
  }): Promise<Postmaster> {
    const { layout, distribution, account, socketDirectory, log, signal } = options;
    const settings = {
      config_file: layout.configuration,
      hba_file: layout.host,
      ident_file: layout.identity,
      unix_socket_directories: quoteListItem(socketDirectory),
    };
    const command = [
      distribution.postgres,
      "-D",
      layout.cluster,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ];
    let heardAt = Date.now();
    const running = await startGuarded(account, command, (line) => {
      heardAt = Date.now();
      logLine(log, line);
    });
    const postmaster = new Postmaster(running, { host: socketDirectory, port, user: role, database: role });
    try {
      await postmaster.#ready(layout.cluster, signal, () => Date.now() - heardAt);
    } catch (error) {
      await postmaster.stop();
      throw error;
    }
    return postmaster;
  }

  async #ready(cluster: string, signal: AbortSignal, silence: () => number): Promise<void> {
    const state: { end: ProcessEnd | null } = { end: null };
    void this.process.ended.then((end) => (state.end = end));
    for (let waited = 0; ; waited += 1) {
      if (state.end !== null) {
        throw new PostgresFailed("The database server ended while starting", this.process.output);
      }
      const file = await findPostmasterFile(cluster);
      if (file?.ready === true && file.pid === this.process.pid) {
        break;
      }
      if (signal.aborted || silence() > silenceMilliseconds) {
        throw new PostgresFailed(
          signal.aborted
            ? "The start of the database server was given up"
            : `The database server is not ready and has printed nothing for ${silenceMilliseconds / 60_000} minutes`,
          this.process.output,
        );
      }
      await Bun.sleep(waited < 200 ? 5 : 50);
    }
  }

  /** Lets sessions end for two seconds, then ends them; a shutdown that hangs is cut short, which only costs a recovery at the next start. */
  async stop(): Promise<void> {
    const steps: readonly (readonly [NodeJS.Signals, number])[] = [
      ["SIGTERM", smartMilliseconds],
      ["SIGINT", fastMilliseconds],
      ["SIGQUIT", immediateMilliseconds],
    ];
    for (const [signal, milliseconds] of steps) {
      this.process.kill(signal);
      if (await endsWithin(this.process.ended, milliseconds)) {
        return;
      }
    }
    this.process.kill("SIGKILL");
    await this.process.ended;
  }
}

async function endsWithin(ended: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([ended.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** PostgreSQL reads this setting as a list, in which double quotes keep commas and spaces in one item. */
function quoteListItem(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function logLine(log: Logger, line: string): void {
  const [, severity = "", message = line] = /^(LOG|FATAL|PANIC|ERROR|WARNING|HINT|DETAIL):\s+(.*)$/.exec(line) ?? [];
  if (severity === "FATAL" || severity === "PANIC") {
    log.error({ source: "postgres" }, message);
  } else {
    log.debug({ source: "postgres" }, message);
  }
}
