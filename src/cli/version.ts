import { Command } from "commander";
import { commit } from "../lib/commit.ts";
import { version } from "../lib/version.ts";
import { exampleText, jsonOption } from "./options.ts";
import { printJson, printResult } from "./output.ts";

export function versionCommand(): Command {
  return new Command("version")
    .description("Print the version, and what it was built from")
    .addOption(jsonOption())
    .addHelpText("after", exampleText(["stithy version", "stithy version --json"]))
    .action((options: { json?: boolean }) => {
      const about = { version, commit, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
      if (options.json === true) {
        printJson(about);
      } else {
        printResult(
          `stithy ${version}${commit === null ? "" : ` (${commit.slice(0, 12)})`}, Bun ${about.bun}, ${about.platform}`,
        );
      }
    });
}
