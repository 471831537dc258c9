import { allVariables } from "../config/env.ts";

const variable = "BUN_GC_TIMER_DISABLE";

/**
 * Begins this process anew (execve(2): same id, arguments and standard streams) without Bun's own timer for collecting
 * garbage, unless the environment says anything of it already. The timer collects every second in each thread of a
 * process that has done anything within the last half minute: of the processor time that a small forge takes for a clone
 * now and then, that was a third. JavaScriptCore's own measures stay, and `noteWork` (lib/garbage.ts) collects when work is
 * done. Bun looks at the variable when a process begins, and nothing else stops the timer; beginning anew takes 15 to
 * 30 ms. Where it cannot be done, all goes on as it was.
 */
export function restartWithoutGcTimer(): void {
  const variables = allVariables();
  if (variables[variable] !== undefined) {
    return;
  }
  const [, script = "", ...args] = process.argv;
  const program = Bun.isStandaloneExecutable ? [] : [...bunOptions(), script];
  try {
    process.execve?.(process.execPath, [process.argv0, ...program, ...args], { ...variables, [variable]: "1" });
  } catch {
    // A sandbox may allow no program to be started in place of another.
  }
}

/** Those that Bun was given for itself. It is in the directory to begin in already, from which the same path may lead elsewhere. */
function bunOptions(): string[] {
  return process.execArgv.filter(
    (option, at, all) => option !== "--cwd" && !option.startsWith("--cwd=") && all[at - 1] !== "--cwd",
  );
}
