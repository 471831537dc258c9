import { createHash } from "node:crypto";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { Logger } from "../lib/log.ts";
import { cachedDirectory } from "./cached-directory.ts";
import { copyTree } from "./copy-tree.ts";
import { unpackDistribution } from "./distribution.ts";
import { EmbeddedPostgres } from "./embedded-postgres.ts";
import { prepareLayout, unfinishedCluster } from "./layout.ts";
import type { Connection } from "./postmaster.ts";
import { configurationFile } from "./settings.ts";

/** Raised when clusters are made in another way, so that older templates are left alone. */
const recipe = 2;

export interface TemplateOptions {
  readonly cacheDirectory: string;
  /** What the content depends on, such as the list of migrations; the programs' version is added. */
  readonly key: string;
  /** Fills the new database, once. */
  readonly prepare: (connection: Connection) => Promise<void>;
  readonly log: Logger;
}

/** A cluster that was shut down cleanly, to be copied for throw-away servers. */
export class ClusterTemplate {
  private constructor(
    /** The cluster itself. */
    readonly path: string,
  ) {}

  /** Finds the template in the cache or makes it. */
  static async prepare(options: TemplateOptions): Promise<ClusterTemplate> {
    const { cacheDirectory } = options;
    const { version } = await unpackDistribution(cacheDirectory);
    const hash = createHash("sha256").update(JSON.stringify([recipe, version, configurationFile(false), options.key])).digest("hex");
    const path = join(cacheDirectory, `cluster-${hash.slice(0, 24)}`);
    return new ClusterTemplate(await cachedDirectory(path, (content) => make(content, options)));
  }

  /** Puts a copy where a server of this directory will look for its cluster. */
  async copyTo(directory: string): Promise<void> {
    const layout = prepareLayout(directory);
    const unfinished = unfinishedCluster(layout);
    await copyTree(this.path, unfinished);
    await rename(unfinished, layout.cluster);
  }
}

async function make(content: string, options: TemplateOptions): Promise<void> {
  // The cache may be closed to the user that the server runs under (root's home); the temporary folder is open to all.
  const parent = await mkdtemp(join(tmpdir(), "stithy-template-"));
  const directory = join(parent, "postgres");
  try {
    await chmod(parent, 0o711);
    {
      await using server = await EmbeddedPostgres.start({ directory, cacheDirectory: options.cacheDirectory, durable: false, log: options.log });
      await options.prepare(server.connection);
      await dropSpareDatabase(server.connection);
    }
    await moveTree(prepareLayout(directory).cluster, content);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

async function moveTree(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch {
    // The temporary folder and the cache may lie on different filesystems.
    await copyTree(from, to);
  }
}

/** Nobody makes databases of another encoding in a throw-away server; without this one its 300 files need not be copied. */
async function dropSpareDatabase(connection: Connection): Promise<void> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} });
  try {
    await sql`alter database template0 is_template false`;
    await sql`drop database template0`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
