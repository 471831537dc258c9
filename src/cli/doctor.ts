import type { Command } from "commander";
import type { CheckResult } from "./doctor-checks.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { dataCommand, jsonOption, type DataOptions } from "./options.ts";
import { printJson, printResult } from "./output.ts";

interface Options extends DataOptions {
  checksums: boolean;
  recount?: boolean;
  json?: boolean;
}

export function doctorCommand(end: (code: ExitCode) => void): Command {
  return dataCommand(
    "doctor",
    "Check configuration, data directory, database, migrations, packs and blobs. The exit code is 1 if something is wrong",
    ["stithy doctor", "stithy doctor --no-checksums", "stithy doctor --recount", "stithy doctor --json"],
  )
    .option("--no-checksums", "check only that packs exist with the right size, instead of reading them")
    .option("--recount", "also add up what every owner uses, and compare it with the sums for quotas")
    .addOption(jsonOption())
    .action(async (options: Options) => end(await doctor(options)));
}

async function doctor(options: Options): Promise<ExitCode> {
  const { runChecks } = await import("./doctor-checks.ts");
  const results: CheckResult[] = [];
  for await (const result of runChecks(options)) {
    results.push(result);
    if (options.json !== true) {
      printResult(`${result.ok ? "ok    " : "WRONG "} ${result.check.padEnd(14)} ${result.detail}`);
      result.problems.forEach((problem) => printResult(`       ${" ".repeat(14)} ${problem}`));
    }
  }
  const ok = results.every((result) => result.ok);
  if (options.json === true) {
    printJson({ ok, checks: results });
  }
  return ok ? exitCodes.done : exitCodes.failed;
}
