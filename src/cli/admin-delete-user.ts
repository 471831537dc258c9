import type { Command } from "commander";
import { dataCommand, type DataOptions } from "./options.ts";
import { printNote } from "./output.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions {
  purge?: boolean;
}

export function deleteUserCommand(): Command {
  return dataCommand(
    "delete-user",
    "Delete a user who owns nothing, or with --purge also everything that they own. This cannot be undone",
    ["stithy admin delete-user bob", "stithy admin delete-user bob --purge"],
  )
    .argument("<name>", "name of the user")
    .option("--purge", "delete their repositories too, and the organizations that nobody else owns")
    .action(removeUser);
}

async function removeUser(username: string, options: Options): Promise<void> {
  const [{ deleteUser }, { openWritingCommand }, { getUser }] = await Promise.all([
    import("../domain/server/deletion/delete-user.ts"),
    import("./command-change.ts"),
    import("./get-user.ts"),
  ]);
  await using command = await openWritingCommand(options);
  const user = await getUser(command.db, username);
  await command.change(serverDoer("admin delete-user"), (work) => deleteUser(work, user, options.purge === true));
  printNote(`Deleted "${user.name}"`);
}
