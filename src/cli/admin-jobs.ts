import { Option, type Command } from "commander";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printNote, printResult } from "./output.ts";

const states = ["scheduled", "waiting", "running", "dead"] as const;

interface Options extends DataOptions {
  json?: boolean;
  state?: (typeof states)[number];
}

/** More are not shown: who has more needs the first ones. */
const most = 1000;

export function listJobsCommand(): Command {
  return dataCommand(
    "jobs",
    "List the jobs that wait, run, or failed for good (dead), oldest first: id, state, kind, tries, time, last error",
    ["stithy admin jobs", "stithy admin jobs --state dead", "stithy admin jobs --json"],
  )
    .addOption(new Option("--state <state>", "only those of this state").choices(states))
    .addOption(jsonOption())
    .action(printJobs);
}

async function printJobs(options: Options): Promise<void> {
  const [{ countJobs, findLongestWait, listJobs }, { openCommand }] = await Promise.all([
    import("../queue/queries.ts"),
    import("./command-database.ts"),
  ]);
  await using command = await openCommand(options);
  const jobs = await listJobs(command.db, options.state === undefined ? states : [options.state], most);
  for (const { id, state, kind, attempts, runAt, lastError } of jobs) {
    if (options.json === true) {
      printJson({ id, state, kind, attempts, run_at: runAt.toISOString(), last_error: lastError });
    } else {
      const error = (lastError ?? "").replaceAll(/\s+/g, " ");
      printResult([id, state, kind, attempts, runAt.toISOString(), error].join("\t").trimEnd());
    }
  }
  const { waiting, running, dead } = await countJobs(command.db);
  const oldestSeconds = await findLongestWait(command.db);
  printNote(
    `${waiting} wait, the oldest for ${Math.round(oldestSeconds)} seconds; ${running} run; ${dead} failed for good`,
  );
}
