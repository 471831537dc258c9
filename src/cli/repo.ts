import { Command } from "commander";
import type { ExitCode } from "./exit-codes.ts";
import { repoExportCommand } from "./repo-export.ts";
import { repoFsckCommand } from "./repo-fsck.ts";
import { repoImportCommand } from "./repo-import.ts";
import { repoRepackCommand } from "./repo-repack.ts";
import { repoStatsCommand } from "./repo-stats.ts";

export function repoCommand(end: (code: ExitCode) => void): Command {
  return new Command("repo")
    .description("Work on repositories. The server may run meanwhile")
    .addCommand(repoImportCommand())
    .addCommand(repoExportCommand())
    .addCommand(repoFsckCommand(end))
    .addCommand(repoRepackCommand())
    .addCommand(repoStatsCommand());
}
