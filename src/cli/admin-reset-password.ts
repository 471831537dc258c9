import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";
import { choosePassword, withPasswordOptions, type PasswordOptions } from "./password-options.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions, PasswordOptions {
  mustChangePassword?: boolean;
  json?: boolean;
}

export function resetPasswordCommand(): Command {
  const command = dataCommand("reset-password", "Set a new password for a user. The old one stops working at once", [
    "stithy admin reset-password alice",
    "stithy admin reset-password alice --password-stdin < password.txt",
  ]).argument("<name>", "name of the user");
  return withPasswordOptions(command)
    .option("--must-change-password", "they have to choose another one at their next sign-in")
    .addOption(jsonOption())
    .action(resetPassword);
}

async function resetPassword(username: string, options: Options): Promise<void> {
  const [{ setPassword }, { openWritingCommand }] = await Promise.all([
    import("../domain/identity/users/set-password.ts"),
    import("./command-change.ts"),
  ]);
  const { password, generated } = await choosePassword(options);
  await using command = await openWritingCommand(options);
  const change = { username, password, mustChangePassword: options.mustChangePassword ?? false };
  await command.change(serverDoer("admin reset-password"), (work) =>
    setPassword(work, change, command.config.auth.password_min_length),
  );
  if (options.json === true) {
    printJson({ username, ...(generated ? { password } : {}) });
    return;
  }
  printNote(`Changed the password of "${username}"${generated ? " to this one, which is shown only now:" : ""}`);
  if (generated) {
    printResult(password);
  }
}
