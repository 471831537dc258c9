import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printResult } from "./output.ts";

interface Options extends DataOptions {
  json?: boolean;
}

const pageSize = 1000;

export function listMirrorsCommand(): Command {
  return dataCommand(
    "list-mirrors",
    "List all mirrors, one on each line: repository, pull or push, address, host key of the SSH server as it was met first, last error",
    ["stithy admin list-mirrors", "stithy admin list-mirrors --json"],
  )
    .addOption(jsonOption())
    .action(printMirrors);
}

async function printMirrors(options: Options): Promise<void> {
  const [{ listMirrors }, { openCommand }] = await Promise.all([
    import("../domain/exchange/mirrors/list-queries.ts"),
    import("./command-database.ts"),
  ]);
  await using command = await openCommand(options);
  for (let offset = 0; ; offset += pageSize) {
    const mirrors = await listMirrors(command.db, { size: pageSize, offset });
    for (const { repository, direction, address, hostKey, lastError } of mirrors) {
      if (options.json === true) {
        printJson({ repository, direction, address, host_key: hostKey, last_error: lastError });
      } else {
        const error = lastError.replaceAll(/\s+/g, " ");
        printResult([repository, direction, address, hostKey ?? "-", error].join("\t").trimEnd());
      }
    }
    if (mirrors.length < pageSize) {
      return;
    }
  }
}
