import type { Command } from "commander";
import { dataCommand, type DataOptions } from "./options.ts";
import { printNote } from "./output.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions {
  undo?: boolean;
}

export function suspendUserCommand(): Command {
  return dataCommand("suspend-user", "Refuse every credential of a user from the next request on. Deletes nothing", [
    "stithy admin suspend-user bob",
    "stithy admin suspend-user bob --undo",
  ])
    .argument("<name>", "name of the user")
    .option("--undo", "let them in again")
    .action(suspendUser);
}

async function suspendUser(username: string, options: Options): Promise<void> {
  const [{ editUser }, { openWritingCommand }, { getUser }] = await Promise.all([
    import("../domain/identity/users/edit-user.ts"),
    import("./command-change.ts"),
    import("./get-user.ts"),
  ]);
  const suspended = options.undo !== true;
  await using command = await openWritingCommand(options);
  const user = await getUser(command.db, username);
  await command.change(serverDoer("admin suspend-user"), (work) =>
    editUser(work, user, { account: { suspended } }, command.config.auth.password_min_length),
  );
  printNote(suspended ? `Suspended "${user.name}"` : `"${user.name}" may sign in again`);
}
