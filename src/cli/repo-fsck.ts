import type { Command } from "commander";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printResult } from "./output.ts";
import { allOption, chosenRepositories, checkNameOrAll, repositoryArgument } from "./repository-names.ts";

interface Options extends DataOptions {
  all?: boolean;
  json?: boolean;
}

export function repoFsckCommand(end: (code: ExitCode) => void): Command {
  return dataCommand(
    "fsck",
    "Check every object of a repository, its packs, and that nothing is missing. The exit code is 1 if something is damaged",
    ["stithy repo fsck alice/project", "stithy repo fsck --all --json"],
  )
    .addArgument(repositoryArgument())
    .addOption(allOption())
    .addOption(jsonOption())
    .action(async (fullName: string | undefined, options: Options) => end(await fsck(fullName, options)));
}

async function fsck(fullName: string | undefined, options: Options): Promise<ExitCode> {
  checkNameOrAll(fullName, options.all);
  const [{ checkRepository }, { openMaintenance }, { withPhaseProgress }] = await Promise.all([
    import("../domain/server/maintenance/check-repository.ts"),
    import("./command-maintenance.ts"),
    import("./progress.ts"),
  ]);
  await using command = await openMaintenance(options);
  let damaged = 0;
  for (const { id, fullName: name } of await chosenRepositories(command.db, fullName)) {
    const checked = await withPhaseProgress((onPhase) =>
      checkRepository(command, id, ({ phase, done, total }) => onPhase(`${name}: ${phase}`, done, total)),
    );
    if (checked === null) {
      continue;
    }
    damaged += Number(checked.problems.length > 0);
    if (options.json === true) {
      printJson({ repository: name, ok: checked.problems.length === 0, ...checked });
    } else {
      printResult(
        `${checked.problems.length === 0 ? "ok     " : "DAMAGED"} ${name}: ${checked.objects} objects in ${checked.packs} packs, ${checked.refs} refs${checked.lfsObjects === 0 ? "" : `, ${checked.lfsObjects} LFS objects`}`,
      );
      checked.problems.forEach((problem) => printResult(`        ${problem}`));
    }
  }
  return damaged === 0 ? exitCodes.done : exitCodes.failed;
}
