import { restartWithoutGcTimer } from "./cli/restart-without-gc-timer.ts";

const args = process.argv.slice(2);
if (args[0] === "serve") {
  restartWithoutGcTimer();
}
const { runCommandLine } = await import("./cli/command-line.ts");
process.exit(await runCommandLine(args));
