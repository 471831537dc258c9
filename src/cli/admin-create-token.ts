import type { Command } from "commander";
import { NotFound } from "../domain/spine/errors.ts";
import { dataCommand, jsonOption, parseExpiry, type DataOptions } from "./options.ts";
import { printJson, printResult } from "./output.ts";
import { serverDoer } from "../domain/spine/doer.ts";

interface Options extends DataOptions {
  name: string;
  scopes: string;
  expires?: Date;
  repositories?: string;
  json?: boolean;
}

export function createTokenCommand(): Command {
  return dataCommand("create-token", "Create an access token for a user and print it", [
    "stithy admin create-token alice --name laptop --scopes all",
    "stithy admin create-token ci --name builds --scopes read:repository,write:package --expires 90d",
  ])
    .argument("<user>", "name of the user")
    .requiredOption("--name <name>", "name of the token, different from the user's others")
    .requiredOption(
      "--scopes <list>",
      "what it may do: all, or read:… and write:… of repository, user, organization and so on, with commas between",
    )
    .option("--expires <when>", "a date, or a time from now such as 12h, 30d, 8w (never)", parseExpiry)
    .option(
      "--repositories <list>",
      "the only repositories it is for, as owner/name, with commas between (all that the user has access to)",
    )
    .addOption(jsonOption())
    .action(createTokenOf);
}

async function createTokenOf(username: string, options: Options): Promise<void> {
  const [{ createToken }, { findUserByName }, { openWritingCommand }] = await Promise.all([
    import("../domain/identity/tokens/create-token.ts"),
    import("../domain/identity/users/queries.ts"),
    import("./command-change.ts"),
  ]);
  await using command = await openWritingCommand(options);
  const { row, value, repositories } = await command.change(serverDoer("admin create-token"), async (work) => {
    const user = await findUserByName(work.tx, username);
    if (user === null) {
      throw new NotFound("user", username);
    }
    return createToken(
      work,
      {
        userId: user.id,
        userIsAdmin: user.isAdmin,
        name: options.name,
        scopes: split(options.scopes),
        ...(options.expires === undefined ? {} : { expiresAt: options.expires }),
        ...(options.repositories === undefined ? {} : { repositories: split(options.repositories) }),
      },
      command.config.auth.tokens_per_user,
    );
  });
  if (options.json === true) {
    printJson({
      id: row.id,
      name: row.name,
      scopes: row.scopes,
      expires_at: row.expiresAt?.toISOString() ?? null,
      repositories,
      token: value,
    });
  } else {
    printResult(value);
  }
}

function split(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
