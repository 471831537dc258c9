import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { SeedSummary } from "../domain/exchange/seeding/seed-file.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";

interface Options extends DataOptions {
  json?: boolean;
}

export function seedCommand(): Command {
  return dataCommand(
    "seed",
    "Fill the server from a file: users, organizations, repositories, labels, milestones, issues, comments",
    ["stithy admin seed seed.json", "stithy admin seed large.jsonl --json"],
  )
    .argument("<file>", "a seed in JSON, or one on each line; what is there already is left as it is")
    .addOption(jsonOption())
    .action(seedFromFile);
}

async function seedFromFile(file: string, options: Options): Promise<void> {
  const [
    { checkSeedFile, seedFile },
    { openMaintenance },
    { buildGitServices },
    { prepareFindSubject },
    logging,
    { byteProgress },
  ] = await Promise.all([
    import("../domain/exchange/seeding/seed-file.ts"),
    import("./command-maintenance.ts"),
    import("../domain/server/forge/git-services.ts"),
    import("../auth/find-subject.ts"),
    import("./command-config.ts"),
    import("./progress.ts"),
  ]);
  const path = resolve(file);
  await checkSeedFile(path, logging.configOf(options).auth.password_min_length);
  await using command = await openMaintenance(options);
  const { config, db, change, git: engine, packDirectory, temporaryDirectory } = command;
  const forge = {
    config,
    log: logging.commandLogger(config),
    change,
    git: buildGitServices({ engine, db, packDirectory, instanceKey: null }),
    files: { packDirectory, temporaryDirectory, room: null },
  };
  const summary = await (async () => {
    using progress = byteProgress("Seeding", (await stat(path)).size);
    return await seedFile({ forge, db, findSubject: prepareFindSubject(db) }, path, (bytes) => progress.update(bytes));
  })();
  tell(summary, options.json === true);
}

function tell({ made, skipped, tokens }: SeedSummary, asJson: boolean): void {
  if (asJson) {
    printJson({ made, skipped, tokens });
    return;
  }
  for (const [user, values] of Object.entries(tokens)) {
    for (const [name, value] of Object.entries(values)) {
      printResult(`${user} ${name} ${value}`);
    }
  }
  printNote(
    `Made ${listed(made) || "nothing"}${listed(skipped) === "" ? "" : `; was there already: ${listed(skipped)}`}`,
  );
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(", ");
}
