import { relative } from "node:path";
import { shellQuote } from "./shell-quote.ts";
import { version as bunVersion } from "bun";

/** How this process was started. */
interface Started {
  argv0: string;
  argv: readonly string[];
  execPath: string;
  directory: string;
  isExecutable: boolean;
}

/**
 * Returns a command of Stithy as a user can type it where this process was started: with the executable or with Bun,
 * and with the same configuration file and data directory. `args` are the arguments, such as `admin list-users`.
 */
export function commandText(args: string, started: Started = thisProcess()): string {
  return [programText(started), args, ...placeOptions(started.argv.slice(2))].join(" ");
}

/** Returns what starts Stithy: `./dist/stithy`, `bun src/main.ts`; or `stithy` within other programs, such as tests. */
export function programText({ argv0, argv, execPath, directory, isExecutable }: Started = thisProcess()): string {
  if (isExecutable) {
    return shellQuote(argv0);
  }
  const script = argv[1] ?? "";
  if (!/[/\\]src[/\\]main\.ts$/.test(script)) {
    return "stithy";
  }
  // Bun lies in a directory of npx then, which is not in the user's PATH.
  const bun = execPath.includes("/_npx/") ? `npx -y bun@${bunVersion}` : "bun";
  return `${bun} ${shellQuote(relative(directory, script))}`;
}

function thisProcess(): Started {
  const { argv0, argv, execPath } = process;
  return { argv0, argv, execPath, directory: process.cwd(), isExecutable: Bun.isStandaloneExecutable };
}

/** The options that say which server's data a command is about. */
function placeOptions(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name, value] = /^(--data|--config|-d|-c)(?:=(.*))?$/s.exec(argument) ?? [];
    const given = value ?? args[index + 1];
    return name === undefined || given === undefined ? [] : [name, shellQuote(given)];
  });
}
