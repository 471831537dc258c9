import type { Command } from "commander";
import type { RepositoryStatistics } from "../domain/server/maintenance/repository-statistics.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printResult } from "./output.ts";
import { allOption, chosenRepositories, checkNameOrAll, repositoryArgument } from "./repository-names.ts";

interface Options extends DataOptions {
  all?: boolean;
  json?: boolean;
}

export function repoStatsCommand(): Command {
  return dataCommand("stats", "Show packs, objects, refs, deltas, LFS and the largest objects of a repository", [
    "stithy repo stats alice/project",
    "stithy repo stats --all --json",
  ])
    .addArgument(repositoryArgument())
    .addOption(allOption())
    .addOption(jsonOption())
    .action(stats);
}

async function stats(fullName: string | undefined, options: Options): Promise<void> {
  checkNameOrAll(fullName, options.all);
  const [{ repositoryStatistics }, { openMaintenance }, { withPhaseProgress }] = await Promise.all([
    import("../domain/server/maintenance/repository-statistics.ts"),
    import("./command-maintenance.ts"),
    import("./progress.ts"),
  ]);
  await using command = await openMaintenance(options);
  for (const { id, fullName: name } of await chosenRepositories(command.db, fullName)) {
    const found = await withPhaseProgress((onPhase) =>
      repositoryStatistics(command, id, ({ phase, done, total }) => onPhase(`${name}: ${phase}`, done, total)),
    );
    if (found !== null && options.json === true) {
      printJson({ repository: name, ...found });
    } else if (found !== null) {
      printResult(describe(name, found));
    }
  }
}

function describe(name: string, found: RepositoryStatistics): string {
  const types = (["commit", "tree", "blob", "tag"] as const).map(
    (type) => `  ${type.padEnd(8)} ${found.objects[type]} (${found.bytes[type]} bytes inflated)`,
  );
  const largest = found.largest.map(({ oid, type, bytes }) => `  ${oid} ${type} ${bytes}`);
  return [
    `${name} (${found.format})`,
    `  packs    ${found.packs} (${found.packBytes} bytes)`,
    `  refs     ${found.branches} branches, ${found.tags} tags, ${found.otherRefs} others`,
    ...types,
    `  deltas   ${found.deltas}, the longest chain ${found.longestChain}`,
    `  lfs      ${found.lfs.objects} objects (${found.lfs.bytes} bytes; ${found.lfs.ownerBytes} in all repositories of the owner)`,
    `  stored more than once  ${found.duplicates}`,
    ...(largest.length === 0 ? [] : ["  largest objects, bytes inflated:", ...largest.map((line) => `  ${line}`)]),
  ].join("\n");
}
