import { Command, CommanderError } from "commander";
import { version } from "../lib/version.ts";
import { adminCommand } from "./admin.ts";
import { doctorCommand } from "./doctor.ts";
import { exitCodeHelp, exitCodes } from "./exit-codes.ts";
import { migrateCommand } from "./migrate.ts";
import { exampleText } from "./options.ts";
import { ignoreClosedOutput, printNote } from "./output.ts";
import { repoCommand } from "./repo.ts";
import { serveCommand } from "./serve.ts";
import { versionCommand } from "./version.ts";
import { programText } from "../lib/command-text.ts";

/** Runs the command that the arguments name, and answers the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  ignoreClosedOutput();
  let exitCode: number = exitCodes.done;
  const end = (code: number) => {
    exitCode = code;
  };
  const program = new Command(programText())
    .description("A self-hosted git forge in one executable.")
    .version(version, "-V, --version", "print the version")
    .addCommand(serveCommand(end))
    .addCommand(adminCommand())
    .addCommand(migrateCommand())
    .addCommand(doctorCommand(end))
    .addCommand(repoCommand(end))
    .addCommand(versionCommand())
    .addHelpText(
      "after",
      exampleText(["stithy serve", "stithy admin create-user alice --admin", "stithy doctor --json"]) + exitCodeHelp,
    );
  endByException(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.done : exitCodes.wrong;
    }
    const { explainFailure } = await import("./explain-failure.ts");
    const failure = explainFailure(error);
    printNote(`stithy: ${failure.message}`);
    return failure.exitCode;
  }
}

/** Commander ends the process by itself otherwise, with 1 for a wrong command line. */
function endByException(command: Command): void {
  command.exitOverride().configureHelp({ showGlobalOptions: false }).showHelpAfterError("(--help tells more)");
  for (const child of command.commands) {
    endByException(child);
  }
}
