import { inTurns } from "../../lib/turns.ts";
import type { FetchSource } from "./fetch-source.ts";
import { writeRefs } from "./ls-refs.ts";
import { resolveObjectInfo, writeObjectInfo } from "./object-info.ts";
import type { Command } from "./parse-command.ts";
import { resolveFetch } from "./resolve-fetch.ts";

/** The answer to one command of protocol v2, framed; the command is not kept for it. Throws ProtocolError. */
export async function answerCommand(
  command: Command,
  source: FetchSource,
): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>> {
  source.noteClient(command.client);
  // The refs before the view: a pack that arrives in between is then in the view, never the other way round.
  const refs = await source.listRefs(command.command === "ls-refs" ? command.request.prefixes : []);
  switch (command.command) {
    case "ls-refs":
      return inTurns(writeRefs(command.request, refs, source.head));
    case "fetch":
      return source.fetchPack(resolveFetch(command.request, refs, source.head, source.format));
    case "object-info":
      return [writeObjectInfo(command.request, await source.objectSizes(resolveObjectInfo(command.request, refs)))];
  }
}
