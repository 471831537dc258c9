import { symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../lib/log.ts";
import { quickFolder } from "../lib/quick-folder.ts";
import { TemporaryHome } from "../lib/temporary-home.ts";
import { EmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import type { Connection } from "../postgres/postmaster.ts";
import { unpackProgramsFor } from "../postgres/prepare-programs.ts";
import { prepareClusterTemplate } from "./cluster-template.ts";

/** The directory of a server of which nothing stays, with an empty, migrated database. All goes when this is disposed of. */
export class EphemeralData implements AsyncDisposable {
  private constructor(
    /** The first is the server's directory; where there is a second, in memory, it has the database. */
    private readonly homes: readonly [TemporaryHome, ...TemporaryHome[]],
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
    const home = TemporaryHome.create(tmpdir());
    const directory = join(home.path, "postgres");
    const folder = quickFolder();
    const quick = folder === tmpdir() ? [] : [TemporaryHome.create(folder)];
    // Commands find the database below the server's directory.
    quick.forEach(({ path }) => symlinkSync(path, directory));
    return new EphemeralData([home, ...quick], startDatabase(directory, cacheDirectory, log));
  }

  get directory(): string {
    return this.homes[0].path;
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
    await Promise.all(this.homes.map((home) => home[Symbol.asyncDispose]()));
  }
}

async function startDatabase(
  directory: string,
  cacheDirectory: string,
  log: Promise<Logger>,
): Promise<EmbeddedPostgres> {
  const template = await prepareClusterTemplate(cacheDirectory, log);
  await Promise.all([template.copyTo(directory), unpackProgramsFor(directory, cacheDirectory)]);
  return EmbeddedPostgres.start({
    directory,
    cacheDirectory,
    durable: false,
    log: (await log).child({ part: "postgres" }),
  });
}
