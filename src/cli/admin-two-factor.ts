import { Option, type Command } from "commander";
import { NotFound } from "../domain/spine/errors.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions {
  json?: boolean;
  issuer?: string;
}

export function enrolTwoFactorCommand(): Command {
  return dataCommand("enroll-2fa", "Turn on two-factor authentication for a user and print the secret in base32", [
    "stithy admin enroll-2fa alice",
    "stithy admin enroll-2fa alice --json",
  ])
    .argument("<user>", "name of the user")
    .addOption(new Option("--issuer <name>", "the server's name as authenticator programs show it").default("Stithy"))
    .addOption(jsonOption())
    .action(enrol);
}

export function disableTwoFactorCommand(): Command {
  return dataCommand("disable-2fa", "Turn off two-factor authentication for a user who lost the second factor", [
    "stithy admin disable-2fa alice",
  ])
    .argument("<user>", "name of the user")
    .action(disable);
}

async function enrol(username: string, options: Options): Promise<void> {
  const [{ enrolTwoFactor }, { establishSealingKey }, { sealingKeyPath }, { findUserByName }, { openWritingCommand }] =
    await Promise.all([
      import("../domain/identity/two-factor/enrolment.ts"),
      import("../domain/identity/server-keys/establish-sealing-key.ts"),
      import("../domain/identity/server-keys/sealing-key-file.ts"),
      import("../domain/identity/users/queries.ts"),
      import("./command-change.ts"),
    ]);
  await using command = await openWritingCommand(options);
  const { secret, address, recoveryCodes } = await command.change(serverDoer("admin enroll-2fa"), async (work) => {
    const user = await findUserByName(work.tx, username);
    if (user === null) {
      throw new NotFound("user", username);
    }
    return enrolTwoFactor(work, {
      user,
      key: await establishSealingKey(work.tx, sealingKeyPath(command.config), { durable: true }),
      issuer: options.issuer ?? "Stithy",
    });
  });
  if (options.json === true) {
    printJson({ username, secret, url: address, recovery_codes: recoveryCodes });
    return;
  }
  printResult(secret);
  printNote(
    `From now on the password of "${username}" needs a code. Recovery codes, shown only now:\n${recoveryCodes.join("\n")}`,
  );
}

async function disable(username: string, options: DataOptions): Promise<void> {
  const [{ removeTwoFactor }, { findUserByName }, { openWritingCommand }] = await Promise.all([
    import("../domain/identity/two-factor/enrolment.ts"),
    import("../domain/identity/users/queries.ts"),
    import("./command-change.ts"),
  ]);
  await using command = await openWritingCommand(options);
  await command.change(serverDoer("admin disable-2fa"), async (work) => {
    const user = await findUserByName(work.tx, username);
    if (user === null) {
      throw new NotFound("user", username);
    }
    await removeTwoFactor(work, user);
  });
  printNote(`Turned two-factor authentication of "${username}" off`);
}
