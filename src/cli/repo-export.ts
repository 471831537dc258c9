import { join, resolve } from "node:path";
import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote } from "./output.ts";
import type { Progress } from "./progress.ts";
import { parseFullName } from "./repository-names.ts";

interface Options extends DataOptions {
  json?: boolean;
}

export function repoExportCommand(): Command {
  return dataCommand("export", "Write a repository as a bare repository that git opens", [
    "stithy repo export alice/project /backup/project.git",
  ])
    .argument("<owner/name>", "the repository")
    .argument("<directory>", "the directory to make; nothing may be there")
    .addOption(jsonOption())
    .action(exportByName);
}

async function exportByName(fullName: string, path: string, options: Options): Promise<void> {
  const { owner, name } = parseFullName(fullName);
  const [{ exportRepository }, { DiskBlobStore }, { openCommand }, { byteProgress }] = await Promise.all([
    import("../domain/server/maintenance/export-repository.ts"),
    import("../blobs/disk-blob-store.ts"),
    import("./command-database.ts"),
    import("./progress.ts"),
  ]);
  await using command = await openCommand(options);
  using stack = new DisposableStack();
  let progress: Progress | null = null;
  const result = await exportRepository(command.db, {
    owner,
    name,
    directory: resolve(path),
    packDirectory: join(command.config.dataDirectory, "packs"),
    blobs: new DiskBlobStore(join(command.config.dataDirectory, "blobs"), join(command.config.dataDirectory, "tmp")),
    onProgress(done, total) {
      progress ??= stack.use(byteProgress("Copying", total));
      progress.update(done);
    },
  });
  if (options.json === true) {
    printJson({ directory: resolve(path), ...result });
  } else {
    printNote(
      `Wrote ${fullName} to ${resolve(path)}: ${result.refs} refs, ${result.packs} packs${result.lfsObjects === 0 ? "" : `, ${result.lfsObjects} LFS objects`}`,
    );
  }
}
