import type { RepositoryAccess } from "../../auth/subject.ts";
import { describeError } from "../../db/pg-errors.ts";
import { objectFormat } from "../../git/objects/object-format.ts";
import type { FetchSource } from "../../git/transport/fetch-source.ts";
import { ProtocolError } from "../../git/wire/protocol-error.ts";
import { agent } from "../../lib/version.ts";
import type { Forge } from "../forge.ts";

/** A repository to be fetched from by someone who may read it; the signal ends the engine's work for that. */
export function fetchSource(forge: Forge, { repository }: RepositoryAccess, signal: AbortSignal): FetchSource {
  const report = (error: unknown): void => {
    if (!signal.aborted && !(error instanceof ProtocolError)) {
      forge.log.error({ repository: repository.id, ...describeError(error) }, "A fetch failed");
    }
  };
  return {
    format: objectFormat(repository.objectFormat),
    head: `refs/heads/${repository.defaultBranch}`,
    agent,
    listRefs: () => forge.refs.listRefs(repository.id),
    async *fetchPack(fetch) {
      const view = await forge.views.current(repository);
      try {
        yield* forge.git.stream(view, "fetchPack", fetch, signal);
      } catch (error) {
        report(error);
        throw error;
      }
    },
    async negotiate(round) {
      const view = await forge.views.current(repository);
      return forge.git.call(view, "negotiate", round, signal).catch((error: unknown) => {
        report(error);
        throw error;
      });
    },
  };
}
