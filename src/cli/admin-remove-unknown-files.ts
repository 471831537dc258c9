import type { Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";
import { commandText } from "../lib/command-text.ts";

interface Options extends DataOptions {
  yes?: boolean;
  json?: boolean;
}

export function removeUnknownFilesCommand(): Command {
  return dataCommand(
    "remove-unknown-files",
    "Show the packs and blobs older than an hour that the database does not know. With --yes remove them. This cannot be undone",
    ["stithy admin remove-unknown-files", "stithy admin remove-unknown-files --yes"],
  )
    .option("--yes", "remove them")
    .addOption(jsonOption())
    .action(removeUnknown);
}

async function removeUnknown(options: Options): Promise<void> {
  const [{ openMaintenance }, { blobFiles }, { packFiles }, { findUnknownFiles, removeUnknownFiles }] =
    await Promise.all([
      import("./command-maintenance.ts"),
      import("../domain/git/blobs/blob-files.ts"),
      import("../domain/git/packs/pack-files.ts"),
      import("../domain/git/blobs/unknown-files.ts"),
    ]);
  await using command = await openMaintenance(options);
  const { db, packDirectory, blobs } = command;
  const results = [];
  for (const files of [packFiles(db, packDirectory), blobFiles(db, blobs)]) {
    const { all, unknown, names } = await findUnknownFiles(files);
    let removed = 0;
    if (options.yes === true) {
      removed = await removeUnknownFiles(files, names);
      // A look remembers a bounded number of names.
      for (let more = removed; more > 0 && removed < unknown; removed += more) {
        more = await removeUnknownFiles(files, (await findUnknownFiles(files)).names);
      }
    }
    results.push({ kind: files.kind, all, unknown, removed });
    if (options.json !== true) {
      printResult(
        `${files.kind.padEnd(5)} ${unknown} of ${all} are not in the database${options.yes === true ? `, ${removed} removed` : ""}`,
      );
    }
  }
  if (options.json === true) {
    printJson(results);
  } else if (options.yes !== true && results.some(({ unknown }) => unknown > 0)) {
    printNote(`Nothing was removed; "${commandText("admin remove-unknown-files --yes")}" removes them`);
  }
}
