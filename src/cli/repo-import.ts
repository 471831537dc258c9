import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { ImportSource } from "../domain/server/maintenance/import-repository.ts";
import { clip } from "../lib/show-value.ts";
import { CommandFailure } from "./command-failure.ts";
import { exitCodes } from "./exit-codes.ts";
import type { MaintenanceCommand } from "./command-maintenance.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote } from "./output.ts";
import { parseFullName } from "./repository-names.ts";

interface Options extends DataOptions {
  private?: boolean;
  json?: boolean;
}

export function repoImportCommand(): Command {
  return dataCommand("import", "Create a repository from one on disk or from a bundle, and check every object", [
    "stithy repo import /backup/project.git alice/project",
    "stithy repo import project.bundle alice/project --private",
    "stithy repo import /backup/project.wiki.git alice/project.wiki",
  ])
    .argument("<path>", "a bare repository, the directory of a work tree, or a bundle")
    .argument(
      "<owner/name>",
      "the repository to create, of an existing owner. owner/name.wiki is the empty wiki of an existing repository",
    )
    .option("--private", "make it private")
    .addOption(jsonOption())
    .action(importFrom);
}

async function importFrom(path: string, fullName: string, options: Options): Promise<void> {
  checkIsPath(path);
  const { owner, name } = parseFullName(fullName);
  const [{ importRepository }, { openMaintenance }, { withPhaseProgress }] = await Promise.all([
    import("../domain/server/maintenance/import-repository.ts"),
    import("./command-maintenance.ts"),
    import("./progress.ts"),
  ]);
  await using command = await openMaintenance(options);
  const source = await openSource(command, resolve(path));
  const imported = await withPhaseProgress((onProgress) =>
    importRepository(command, { owner, name, private: options.private === true, source, onProgress }),
  );
  if (options.json === true) {
    printJson({ repository: fullName, ...imported });
  } else {
    printNote(
      `Imported ${fullName}: ${imported.objects} objects, ${imported.refs} refs${imported.skippedRefs === 0 ? "" : `; ${imported.skippedRefs} refs of other kinds were passed over`}${imported.lfsObjects === 0 ? "" : `; ${imported.lfsObjects} LFS objects`}`,
    );
  }
}

/** Refuses what is no path before the database is opened. */
function checkIsPath(path: string): void {
  if (/^[a-z][a-z+]*:\/\//i.test(path) || /^[\w.-]+@[\w.-]+:/.test(path)) {
    throw new CommandFailure(
      `"${clip(path, 80)}" is a URL, and this command reads from the disk: clone it first with "git clone --mirror", or let a running server fetch it with POST /api/v1/repos/migrate`,
      exitCodes.wrong,
    );
  }
}

async function openSource(command: MaintenanceCommand, path: string): Promise<ImportSource> {
  if ((await stat(path)).isDirectory()) {
    const { openBareRepository } = await import("../git/import/bare-repository.ts");
    const { objects, ...found } = await openBareRepository(path);
    return { ...found, looseObjects: objects };
  }
  const [{ openBundle }, { spoolPack }] = await Promise.all([
    import("../domain/exchange/seeding/import-bundle.ts"),
    import("../git/transport/spool-pack.ts"),
  ]);
  const { header, headBranch } = await openBundle(path);
  const pack = join(command.temporaryDirectory, `bundle-${crypto.randomUUID()}.pack`);
  await spoolPack(Bun.file(path).slice(header.packOffset).stream(), pack, {
    packBytes: command.config.git.push_limit_bytes,
  });
  const refs = header.refs.filter((ref) => ref.name.startsWith("refs/"));
  return {
    format: header.format,
    refs,
    headBranch: headBranch ?? null,
    packs: [pack],
    looseObjects: null,
    lfsObjects: null,
  };
}
