import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { ArchiveSource } from "../../../git/transport/serve-upload-archive.ts";
import { isFault, messageOf } from "../../../lib/errors.ts";
import type { Forge } from "../../spine/forge.ts";

/** A repository to be made into archives for someone who may read it; the signal ends the engine's work for that. */
export function archiveSource(forge: Forge, { repository }: RepositoryAccess, signal: AbortSignal): ArchiveSource {
  return {
    head: `refs/heads/${repository.defaultBranch}`,
    listRefs: () => forge.git.refs.listRefs(repository.id),
    async findDirectory(treeish, path) {
      const item = await forge.git.engine.call(
        await forge.git.views.current(repository),
        "readPath",
        { commit: treeish, path, maxBytes: 0 },
        signal,
      );
      return item?.type === "tree" ? item.oid : null;
    },
    async *archive(request) {
      yield* forge.git.archives.make(await forge.git.views.current(repository), request, signal);
    },
    explain: (error) => (isFault(error) ? null : messageOf(error)),
  };
}
