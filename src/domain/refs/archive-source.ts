import type { RepositoryAccess } from "../../auth/subject.ts";
import type { ArchiveSource } from "../../git/transport/serve-upload-archive.ts";
import { StithyError } from "../../lib/errors.ts";
import type { Forge } from "../forge.ts";

/** Codes of what whoever wants the archive did wrong, or can try again. */
const tellable = new Set(["path-not-in-tree", "path-too-long", "engine-busy", "engine-timeout"]);

/** A repository to be made into archives for someone who may read it; the signal ends the engine's work for that. */
export function archiveSource(forge: Forge, { repository }: RepositoryAccess, signal: AbortSignal): ArchiveSource {
  return {
    head: `refs/heads/${repository.defaultBranch}`,
    listRefs: () => forge.refs.listRefs(repository.id),
    async findDirectory(treeish, path) {
      const item = await forge.git.call(await forge.views.current(repository), "readPath", { commit: treeish, path, maxBytes: 0 }, signal);
      return item?.type === "tree" ? item.oid : null;
    },
    async *archive(request) {
      yield* forge.git.stream(await forge.views.current(repository), "archive", request, signal);
    },
    explain: (error) => (error instanceof StithyError && tellable.has(error.code) ? error.message : null),
  };
}
