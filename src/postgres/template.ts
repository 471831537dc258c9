import { createHash } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../lib/log.ts";
import { cachedDirectory } from "./cached-directory.ts";
import { copyTree } from "./copy-tree.ts";
import { unpackDistribution } from "./distribution.ts";
import { prepareLayout, unfinishedCluster } from "./layout.ts";
import type { Connection } from "./postmaster.ts";
import { configurationFile } from "./settings.ts";

/** Raised when clusters are made in another way, so that older templates are left alone. */
const recipe = 4;

export interface TemplateOptions {
  readonly cacheDirectory: string;
  /** What the content depends on, such as the list of migrations; the programs' version is added. */
  readonly key: string;
  /** Fills the new database, once. */
  readonly prepare: (connection: Connection) => Promise<void>;
  /** Waited for only when the template has to be made. */
  readonly log: Logger | Promise<Logger>;
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
    return new ClusterTemplate(
      await cachedDirectory(path, async (content) => {
        const { makeTemplate } = await import("./make-template.ts");
        await makeTemplate(content, options);
      }),
    );
  }

  /** Puts a copy where a server of this directory will look for its cluster. */
  async copyTo(directory: string): Promise<void> {
    const layout = prepareLayout(directory);
    const unfinished = unfinishedCluster(layout);
    await copyTree(this.path, unfinished);
    await rename(unfinished, layout.cluster);
  }
}
