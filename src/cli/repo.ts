import { Command } from "commander";
import { repoExportCommand } from "./repo-export.ts";

export function repoCommand(): Command {
  return new Command("repo").description("Work on a repository; the server may run meanwhile").addCommand(repoExportCommand());
}
