import type { Command } from "commander";
import { dataCommand, type DataOptions } from "./options.ts";
import { printNote } from "./output.ts";
import { serverDoer } from "../domain/spine/doer.ts";

export function verifyEmailCommand(): Command {
  return dataCommand("verify-email", "Confirm an e-mail address of a user, on a server that sends no mail", [
    "stithy admin verify-email bob bob@example.com",
  ])
    .argument("<name>", "name of the user")
    .argument("<address>", "the address, which the user has added")
    .action(verify);
}

async function verify(username: string, address: string, options: DataOptions): Promise<void> {
  const [{ vouchForEmail }, { openWritingCommand }, { getUser }] = await Promise.all([
    import("../domain/identity/users/verify-email.ts"),
    import("./command-change.ts"),
    import("./get-user.ts"),
  ]);
  await using command = await openWritingCommand(options);
  const user = await getUser(command.db, username);
  await command.change(serverDoer("admin verify-email"), (work) => vouchForEmail(work, user, address));
  printNote(`"${address}" is verified for "${user.name}"`);
}
