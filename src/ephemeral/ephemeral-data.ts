import { join } from "node:path";
import type { Logger } from "../lib/log.ts";
import { EmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import type { Connection } from "../postgres/postmaster.ts";
import { unpackProgramsFor } from "../postgres/prepare-programs.ts";
import { prepareClusterTemplate } from "./cluster-template.ts";
import { TemporaryHome } from "./temporary-home.ts";

/** The directory of a server of which nothing stays, with an empty, migrated database. All goes when this is disposed of. */
export class EphemeralData implements AsyncDisposable {
  private constructor(
    private readonly home: TemporaryHome,
    private readonly server: Promise<EmbeddedPostgres>,
  ) {
    // It may fail while nobody waits for it yet.
    server.catch(() => {});
  }

  /**
   * Begins to copy the database's files, and goes on to start it once there is a log: where the log's promise is
   * rejected, no program is started.
   */
  static begin(cacheDirectory: string, log: Promise<Logger>): EphemeralData {
    const home = TemporaryHome.create();
    return new EphemeralData(home, startDatabase(home.path, cacheDirectory, log));
  }

  get directory(): string {
    return this.home.path;
  }

  /** Resolves when the database takes connections. */
  async connection(): Promise<Connection> {
    return (await this.server).connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.then(
      (server) => server[Symbol.asyncDispose](),
      () => {},
    );
    await this.home[Symbol.asyncDispose]();
  }
}

async function startDatabase(home: string, cacheDirectory: string, log: Promise<Logger>): Promise<EmbeddedPostgres> {
  const template = await prepareClusterTemplate(cacheDirectory, log);
  const directory = join(home, "postgres");
  await Promise.all([template.copyTo(directory), unpackProgramsFor(directory, cacheDirectory)]);
  return EmbeddedPostgres.start({
    directory,
    cacheDirectory,
    durable: false,
    log: (await log).child({ part: "postgres" }),
  });
}
