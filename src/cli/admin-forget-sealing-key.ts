import type { Command } from "commander";
import { dataCommand, type DataOptions } from "./options.ts";
import { printNote } from "./output.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions {
  yes?: boolean;
}

export function forgetSealingKeyCommand(): Command {
  return dataCommand(
    "forget-sealing-key",
    "With --yes let the next start of the server create another sealing key, if the old one is lost for good. The values that it sealed are lost",
    ["stithy admin forget-sealing-key --yes"],
  )
    .option("--yes", "give up all second factors and stored secrets")
    .action(forget);
}

async function forget(options: Options): Promise<void> {
  if (options.yes !== true) {
    printNote(
      "Nothing was changed. With --yes, second factors and stored secrets of this server are given up: nothing opens them any more, and they have to be set anew",
    );
    return;
  }
  const [{ forgetSealingKey }, { openWritingCommand }] = await Promise.all([
    import("../domain/identity/server-keys/establish-sealing-key.ts"),
    import("./command-change.ts"),
  ]);
  await using command = await openWritingCommand(options);
  await command.change(serverDoer("admin forget-sealing-key"), (work) => forgetSealingKey(work.tx));
  printNote("The next start of the server takes the key of its sealing key file, or makes one");
}
