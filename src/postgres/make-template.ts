import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { quickFolder } from "../lib/quick-folder.ts";
import { TemporaryHome } from "../lib/temporary-home.ts";
import { copyTree } from "./copy-tree.ts";
import { EmbeddedPostgres } from "./embedded-postgres.ts";
import { prepareLayout } from "./layout.ts";
import type { TemplateOptions } from "./template.ts";

/** Makes a cluster, has it filled, and puts it, shut down cleanly, at `content`. */
export async function makeTemplate(content: string, options: TemplateOptions): Promise<void> {
  const log = await options.log;
  // The cache may be closed to the user that the server runs under (root's home); a temporary folder is open to all.
  await using home = TemporaryHome.create(quickFolder());
  const directory = join(home.path, "postgres");
  {
    await using server = await EmbeddedPostgres.start({
      directory,
      cacheDirectory: options.cacheDirectory,
      durable: false,
      log,
    });
    await options.prepare(server.connection);
  }
  const { cluster } = prepareLayout(directory);
  await removeDerived(cluster);
  await moveTree(cluster, content);
}

/**
 * Every fourth file of a new cluster is a map of free space or of what all can see: PostgreSQL makes those of its tables
 * again when it writes to them, and does without until then.
 */
async function removeDerived(cluster: string): Promise<void> {
  for (const name of await readdir(cluster, { recursive: true })) {
    if (/^(?:base|global)\b.*_(?:fsm|vm)$/.test(name)) {
      await rm(join(cluster, name));
    }
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
