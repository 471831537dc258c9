import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../lib/log.ts";
import { cachedDirectory } from "./cached-directory.ts";
import { copyTree } from "./copy-tree.ts";
import { distributionVersion } from "./distribution.ts";
import { type EmbeddedCluster, embeddedCluster } from "./embedded-archive.ts";
import { extractArchive } from "./extract-archive.ts";
import { prepareLayout, unfinishedCluster } from "./layout.ts";
import type { Connection } from "./postmaster.ts";
import { configurationFile } from "./settings.ts";
import { trustedCache } from "./trusted-directory.ts";

/** Raised when clusters are made in another way, so that older templates are left alone. */
const recipe = 7;

export interface TemplateOptions {
  readonly cacheDirectory: string;
  /** The key of the content, such as the list of migrations; the programs' version is added. */
  readonly key: string;
  /** Fills the new database, once. */
  readonly prepare: (connection: Connection) => Promise<void>;
  /** Waited for only when the template has to be made. */
  readonly log: Logger | Promise<Logger>;
}

/** A cluster that was shut down cleanly, to be copied for throw-away servers. */
export class ClusterTemplate {
  private constructor(
    /** Tells what is in it. */
    readonly name: string,
    private readonly source: { readonly path: string } | { readonly archive: EmbeddedCluster },
  ) {}

  /** Finds the template in the executable or the cache, or makes it there. */
  static async prepare(options: TemplateOptions): Promise<ClusterTemplate> {
    const hash = createHash("sha256")
      .update(JSON.stringify([recipe, distributionVersion(), configurationFile(false), options.key]))
      .digest("hex");
    const name = `cluster-${hash.slice(0, 24)}`;
    if (embeddedCluster?.name === name) {
      return new ClusterTemplate(name, { archive: embeddedCluster });
    }
    const path = await cachedDirectory(join(trustedCache(options.cacheDirectory), name), async (content) => {
      const { makeTemplate } = await import("./make-template.ts");
      await makeTemplate(content, options);
    });
    return new ClusterTemplate(name, { path });
  }

  /** Puts a copy where a server of this directory will look for its cluster. */
  async copyTo(directory: string): Promise<void> {
    const layout = prepareLayout(directory);
    const unfinished = unfinishedCluster(layout);
    await this.fill(unfinished);
    await rename(unfinished, layout.cluster);
  }

  /** Makes a copy at a path where nothing is yet, with PostgreSQL's modes: for its owner alone. */
  async fill(path: string): Promise<void> {
    if ("path" in this.source) {
      return copyTree(this.source.path, path);
    }
    mkdirSync(path, { mode: 0o700 });
    await extractArchive(this.source.archive, path);
    for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
    }
  }
}
