import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";
import { choosePassword, withPasswordOptions, type PasswordOptions } from "./password-options.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions, PasswordOptions {
  email?: string;
  fullName?: string;
  admin?: boolean;
  mustChangePassword?: boolean;
  json?: boolean;
}

export function createUserCommand(): Command {
  const command = dataCommand("create-user", "Create a user. Without a password, generate one and print it", [
    "stithy admin create-user alice --admin",
    "stithy admin create-user bob --email bob@example.com --password-stdin < password.txt",
  ]).argument("<name>", "name of the new user");
  return withPasswordOptions(command)
    .option("--email <address>", "e-mail address (<name>@localhost)")
    .option("--full-name <text>", "name for people")
    .option("--admin", "make them a site administrator")
    .option("--must-change-password", "the user has to choose another password at the first sign-in")
    .addOption(jsonOption())
    .action(createUserByName);
}

async function createUserByName(username: string, options: Options): Promise<void> {
  const [{ createUser }, { openWritingCommand }] = await Promise.all([
    import("../domain/identity/users/create-user.ts"),
    import("./command-change.ts"),
  ]);
  const { password, generated } = await choosePassword(options);
  await using command = await openWritingCommand(options);
  const user = {
    username,
    password,
    isAdmin: options.admin ?? false,
    mustChangePassword: options.mustChangePassword ?? false,
    ...(options.email === undefined ? {} : { email: options.email }),
    ...(options.fullName === undefined ? {} : { fullName: options.fullName }),
  };
  const id = await command.change(serverDoer("admin create-user"), (work) =>
    createUser(work, user, command.config.auth.password_min_length),
  );
  if (options.json === true) {
    printJson({ id, username, admin: user.isAdmin, ...(generated ? { password } : {}) });
    return;
  }
  printNote(
    `Created the ${user.isAdmin ? "administrator" : "user"} "${username}"${generated ? " with this password, which is shown only now:" : ""}`,
  );
  if (generated) {
    printResult(password);
  }
}
