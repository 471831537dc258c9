import type { RepositoryAccess } from "../../../auth/subject.ts";
import { describeError } from "../../../db/pg-errors.ts";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { visibleRefs } from "../../../git/refs/hidden-refs.ts";
import type { FetchSource } from "../../../git/transport/fetch-source.ts";
import { ProtocolError } from "../../../git/wire/protocol-error.ts";
import { Busy } from "../../../lib/fair-share.ts";
import { agent } from "../../../lib/version.ts";
import type { Forge } from "../../spine/forge.ts";

/**
 * A repository to be fetched from by someone who may read it; the signal ends the engine's work for that. `prepareRefs` is told what the names of the
 * refs begin with that a client wants to know, before they are read: some are made only when they are wanted. It answers the repository's generation
 * where it may have raised that.
 */
export function fetchSource(
  forge: Forge,
  { repository }: RepositoryAccess,
  signal: AbortSignal,
  prepareRefs: (prefixes: readonly string[]) => Promise<number | null>,
): FetchSource {
  const sessionId = crypto.randomUUID();
  /** The generation of the refs: a view of it or of a newer one has all that they reach, and is often known already. */
  let generation: number | null = null;
  /** As far as it is known. */
  let latest = repository.generation;
  const view = () =>
    generation === null ? forge.git.views.current(repository) : forge.git.views.view({ ...repository, generation });
  /** Notes a failure of ours and passes it on. */
  const failed = (error: unknown): never => {
    if (!signal.aborted && !(error instanceof ProtocolError) && !(error instanceof Busy)) {
      forge.log.error({ repository: repository.id, session: sessionId, ...describeError(error) }, "A fetch failed");
    }
    throw error;
  };
  return {
    format: objectFormat(repository.objectFormat),
    head: `refs/heads/${repository.defaultBranch}`,
    agent,
    sessionId,
    noteClient: ({ agent: clientAgent, session: clientSession }) =>
      forge.log.debug(
        { repository: repository.id, session: sessionId, clientAgent, clientSession },
        "A client asks for what to fetch",
      ),
    listRefs: async (prefixes = []) => {
      latest = (prefixes.length > 0 ? await prepareRefs(prefixes) : null) ?? latest;
      const list = await forge.git.revisions.list({ id: repository.id, generation: latest });
      ({ generation } = list);
      return visibleRefs(list.refs, forge.config.git.hidden_refs);
    },
    fetchPack: (fetch) => {
      // Handed over once: else a request, thousands of oids, would be kept as long as the client reads.
      const asked = [fetch];
      return chunksOf(
        async () => forge.git.engine.stream(await view(), "fetchPack", asked.pop()!, signal, { lend: true }),
        failed,
      );
    },
    negotiate: async (round) => forge.git.engine.call(await view(), "negotiate", round, signal).catch(failed),
    objectSizes: async (request) => forge.git.engine.call(await view(), "objectSizes", request, signal).catch(failed),
  };
}

/** Opened when the first chunk is asked for: nobody would hear of the failure of an answer that nobody reads. */
async function* chunksOf(
  open: () => Promise<ReadableStream<Uint8Array>>,
  failed: (error: unknown) => never,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* await open();
  } catch (error) {
    failed(error);
  }
}
