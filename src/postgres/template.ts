import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../lib/log.ts";
import { copyTree } from "./copy-tree.ts";
import { unpackDistribution } from "./distribution.ts";
import { EmbeddedPostgres } from "./embedded-postgres.ts";
import { prepareLayout, unfinishedCluster } from "./layout.ts";
import type { Connection } from "./postmaster.ts";
import { configurationFile } from "./settings.ts";

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

  /** Finds the template in the cache or makes it. Processes that make it at the same time do not disturb each other. */
  static async prepare(options: TemplateOptions): Promise<ClusterTemplate> {
    const { cacheDirectory } = options;
    const { version } = await unpackDistribution(cacheDirectory);
    const hash = createHash("sha256").update(JSON.stringify([version, configurationFile(false), options.key])).digest("hex");
    const path = join(cacheDirectory, `cluster-${hash.slice(0, 24)}`);
    if (!existsSync(path)) {
      await make(path, options);
    }
    return new ClusterTemplate(path);
  }

  /** Puts a copy where a server of this directory will look for its cluster. */
  async copyTo(directory: string): Promise<void> {
    const layout = prepareLayout(directory);
    const unfinished = unfinishedCluster(layout);
    await copyTree(this.path, unfinished);
    await rename(unfinished, layout.cluster);
  }
}

async function make(path: string, options: TemplateOptions): Promise<void> {
  // The cache may be closed to the user that the server runs under (root's home); the temporary folder is open to all.
  const directory = await mkdtemp(join(tmpdir(), "stithy-template-"));
  const temporary = `${path}.unfinished-${crypto.randomUUID()}`;
  try {
    await chmod(directory, 0o711);
    {
      await using server = await EmbeddedPostgres.start({ directory: join(directory, "postgres"), cacheDirectory: options.cacheDirectory, durable: false, log: options.log });
      await options.prepare(server.connection);
    }
    await copyTree(prepareLayout(join(directory, "postgres")).cluster, temporary);
    await rename(temporary, path);
  } catch (error) {
    if (!existsSync(path)) {
      throw error;
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }
}
