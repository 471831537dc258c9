import type { Command } from "commander";
import { serverDoer } from "../domain/spine/doer.ts";
import { NotFound } from "../domain/spine/errors.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote } from "./output.ts";

interface Options extends DataOptions {
  title?: string;
  json?: boolean;
}

export function addKeyCommand(): Command {
  return dataCommand("add-key", "Add a public key for git over SSH to a user", [
    "stithy admin add-key alice ~/.ssh/id_ed25519.pub",
    "stithy admin add-key alice - --title laptop < key.pub",
  ])
    .argument("<user>", "name of the user")
    .argument("<file>", "file with the public key; - reads standard input")
    .option("--title <text>", "title of the key (the comment at its end)")
    .addOption(jsonOption())
    .action(addKeyOf);
}

async function addKeyOf(username: string, file: string, options: Options): Promise<void> {
  const [{ commentOfKey }, { createUserKey }, { findUserByName }, { openWritingCommand }] = await Promise.all([
    import("../domain/identity/keys/comment-of-key.ts"),
    import("../domain/identity/keys/create-user-key.ts"),
    import("../domain/identity/users/queries.ts"),
    import("./command-change.ts"),
  ]);
  const key = (await (file === "-" ? Bun.stdin : Bun.file(file)).text()).trim();
  await using command = await openWritingCommand(options);
  const row = await command.change(serverDoer("admin add-key"), async (work) => {
    const user = await findUserByName(work.tx, username);
    if (user === null) {
      throw new NotFound("user", username);
    }
    return createUserKey(work, user, { title: options.title ?? commentOfKey(key), key });
  });
  if (options.json === true) {
    printJson({ id: row.id, title: row.title, fingerprint: row.fingerprint });
  } else {
    printNote(`Added the key "${row.title}" (${row.fingerprint}) of "${username}"`);
  }
}
