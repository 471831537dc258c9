import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printResult } from "./output.ts";

interface Options extends DataOptions {
  json?: boolean;
}

const pageSize = 1000;

export function listUsersCommand(): Command {
  return dataCommand(
    "list-users",
    "List all users, one on each line: name, e-mail address, and flags such as administrator or suspended",
    ["stithy admin list-users", "stithy admin list-users --json"],
  )
    .addOption(jsonOption())
    .action(printUsers);
}

async function printUsers(options: Options): Promise<void> {
  const [{ listUsers }, { openCommand }] = await Promise.all([
    import("../domain/identity/users/list-queries.ts"),
    import("./command-database.ts"),
  ]);
  await using command = await openCommand(options);
  for (let offset = 0, total = 1; offset < total; offset += pageSize) {
    const page = await listUsers(command.db, { none: false }, "alphabetically", { size: pageSize, offset });
    total = page.total;
    for (const { owner, account } of page.rows) {
      const { isAdmin: admin, active, suspended, restricted } = account;
      if (options.json === true) {
        printJson({ id: owner.id, username: owner.name, email: owner.email, admin, active, suspended, restricted });
        continue;
      }
      const marks = [
        admin ? "administrator" : "",
        active ? "" : "not active",
        suspended ? "suspended" : "",
        restricted ? "restricted" : "",
      ];
      printResult([owner.name, owner.email, marks.filter(Boolean).join(", ")].join("\t").trimEnd());
    }
  }
}
