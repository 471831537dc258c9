import type { FetchSource } from "./fetch-source.ts";
import { writeRefs } from "./ls-refs.ts";
import { resolveObjectInfo, writeObjectInfo } from "./object-info.ts";
import type { Command } from "./parse-command.ts";
import { resolveFetch } from "./resolve-fetch.ts";

/** The answer to one command of protocol v2, framed. Throws ProtocolError. */
export async function* answerCommand(command: Command, source: FetchSource): AsyncGenerator<Uint8Array, void> {
  source.noteClient(command.client);
  // The refs before the view: a pack that arrives in between is then in the view, never the other way round.
  const refs = await source.listRefs();
  switch (command.command) {
    case "ls-refs":
      yield* writeRefs(command.request, refs, source.head);
      return;
    case "fetch":
      yield* source.fetchPack(resolveFetch(command.request, refs, source.head));
      return;
    case "object-info":
      yield writeObjectInfo(command.request, await source.objectSizes(resolveObjectInfo(command.request, refs)));
  }
}
