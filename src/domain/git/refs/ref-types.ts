import type { GitEngine } from "../../../git/engine.ts";
import type { ObjectTypeName } from "../../../git/objects/object-type.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";

/** How many oids one request to the engine names. */
const batch = 200;

/**
 * The type of object that each ref points at. Nearly all are known from the row: branches are commits, what peels is a
 * tag; only other refs, such as lightweight tags, are looked up.
 */
export async function findRefTypes(
  git: GitEngine,
  view: RepositoryView,
  refs: readonly Ref[],
): Promise<Map<string, ObjectTypeName>> {
  const types = new Map<string, ObjectTypeName>();
  const unknown = new Set<string>();
  for (const { name, oid, peeled } of refs) {
    if (peeled !== null) {
      types.set(oid, "tag");
    } else if (name.startsWith("refs/heads/")) {
      types.set(oid, "commit");
    } else {
      unknown.add(oid);
    }
  }
  const oids = [...unknown].filter((oid) => !types.has(oid));
  for (let at = 0; at < oids.length; at += batch) {
    const part = oids.slice(at, at + batch);
    const commits = await git.call(view, "readCommits", { oids: part });
    for (const [index, oid] of part.entries()) {
      types.set(
        oid,
        commits[index] == null ? ((await git.call(view, "resolveObject", { name: oid }))?.type ?? "commit") : "commit",
      );
    }
  }
  return types;
}
