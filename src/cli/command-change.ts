import { prepareFindSubject } from "../auth/find-subject.ts";
import { prepareChange } from "../domain/server/change.ts";
import type { Change } from "../domain/spine/work.ts";
import { commandLogger } from "./command-config.ts";
import { openCommand, type CommandContext } from "./command-database.ts";
import type { DataOptions } from "./options.ts";

/** The context of a command that changes data. */
export interface WritingCommand extends CommandContext {
  readonly change: Change;
}

/**
 * Does what `openCommand` does, for a command that writes. A file of its own, as whatever follows from any event is loaded
 * with it, and a command that reads needs none of that.
 */
export async function openWritingCommand(options: DataOptions): Promise<WritingCommand> {
  const command = await openCommand(options);
  const { config, db } = command;
  const change = prepareChange({
    db,
    findSubject: prepareFindSubject(db),
    config,
    blobs: null,
    room: null,
    findFacts: null,
    addresses: null,
    bell: null,
    live: null,
    pulse: null,
    log: commandLogger(config),
  });
  return { config, db, change, [Symbol.asyncDispose]: () => command[Symbol.asyncDispose]() };
}
