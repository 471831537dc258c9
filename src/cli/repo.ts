import { Command } from "commander";
import { repoExportCommand } from "./repo-export.ts";
import { repoRepackCommand } from "./repo-repack.ts";

export function repoCommand(): Command {
  return new Command("repo").description("Work on repositories; the server may run meanwhile").addCommand(repoExportCommand()).addCommand(repoRepackCommand());
}
