import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote } from "./output.ts";
import { allOption, chosenRepositories, checkNameOrAll, repositoryArgument } from "./repository-names.ts";

interface Options extends DataOptions {
  all?: boolean;
  full?: boolean;
  json?: boolean;
}

export function repoRepackCommand(): Command {
  return dataCommand(
    "repack",
    "Write a repository into one pack, without unreachable objects. The server may run meanwhile",
    ["stithy repo repack alice/project", "stithy repo repack --all --full"],
  )
    .addArgument(repositoryArgument())
    .addOption(allOption())
    .option("--full", "look for all deltas anew: smaller, and takes much longer")
    .addOption(jsonOption())
    .action(repackByName);
}

async function repackByName(fullName: string | undefined, options: Options): Promise<void> {
  checkNameOrAll(fullName, options.all);
  const [{ repackRepository }, { openMaintenance }, { withPhaseProgress }] = await Promise.all([
    import("../domain/server/maintenance/repack-repository.ts"),
    import("./command-maintenance.ts"),
    import("./progress.ts"),
  ]);
  await using command = await openMaintenance(options);
  for (const repository of await chosenRepositories(command.db, fullName)) {
    const kind = options.full === true ? "full" : "whole";
    const done = await withPhaseProgress((onPhase) =>
      repackRepository(command, {
        repositoryId: repository.id,
        kind,
        onProgress: ({ phase, done: count, total }) => onPhase(`${repository.fullName}: ${phase}`, count, total),
      }),
    );
    const before = sumOf(done?.before ?? []);
    const after = sumOf(done?.after ?? []);
    if (options.json === true) {
      printJson({ repository: repository.fullName, before, after, dropped: done?.dropped ?? 0 });
    } else {
      printNote(
        done === null
          ? `${repository.fullName} is empty`
          : `${repository.fullName}: ${before.packs} packs of ${before.bytes} bytes became ${after.packs} of ${after.bytes}; ${done.dropped} objects were dropped`,
      );
    }
  }
}

function sumOf(packs: readonly { bytes: number }[]): { packs: number; bytes: number } {
  return { packs: packs.length, bytes: packs.reduce((sum, { bytes }) => sum + bytes, 0) };
}
