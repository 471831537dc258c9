import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { prepareFindSubject } from "../auth/find-subject.ts";
import { DiskBlobStore } from "../blobs/disk-blob-store.ts";
import { prepareChange } from "../domain/server/change.ts";
import type { Maintenance } from "../domain/server/maintenance/repack-repository.ts";
import { GitEngine } from "../git/engine.ts";
import { WorkingDirectory } from "../lib/working-directory.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../workers.ts";
import { commandLogger } from "./command-config.ts";
import { openCommand } from "./command-database.ts";
import type { DataOptions } from "./options.ts";

/** The context of a command that works on the objects of repositories, beside a server or without one. */
export interface MaintenanceCommand extends Maintenance, AsyncDisposable {}

const engineLimits = { callTimeoutMs: 24 * 60 * 60_000, writeTimeoutMs: 24 * 60 * 60_000 };

/**
 * Opens the data for a command, with git workers of its own. Its unfinished files have a directory of their own among
 * those of a server, which spares it when it starts meanwhile, and removes what a killed command left.
 */
export async function openMaintenance(options: DataOptions): Promise<MaintenanceCommand> {
  await using stack = new AsyncDisposableStack();
  const command = stack.use(await openCommand(options));
  const { config, db } = command;
  const log = commandLogger(config);
  const packDirectory = join(config.dataDirectory, "packs");
  await mkdir(packDirectory, { recursive: true, mode: 0o700 });
  const { path: temporaryDirectory } = stack.use(
    await WorkingDirectory.open(join(config.dataDirectory, "tmp"), "command"),
  );
  const git = stack.use(
    new GitEngine({
      gitWorker: gitWorkerUrl,
      indexWorker: indexWorkerUrl,
      workers: 1,
      indexWorkers: 1,
      cacheBytes: config.git.cache_bytes,
      limits: engineLimits,
      log,
    }),
  );
  const blobs = await DiskBlobStore.open(join(config.dataDirectory, "blobs"), temporaryDirectory);
  const owned = stack.move();
  return {
    db,
    change: prepareChange({
      db,
      findSubject: prepareFindSubject(db),
      config,
      blobs,
      room: null,
      findFacts: null,
      addresses: null,
      bell: null,
      live: null,
      pulse: null,
      log,
    }),
    git,
    blobs,
    config,
    packDirectory,
    temporaryDirectory,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
