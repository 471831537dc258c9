import { newJob } from "../../queue/enqueue.ts";
import { serverDoer } from "../spine/doer.ts";
import type { Event } from "../spine/events.ts";
import type { Forge } from "../spine/forge.ts";
import type { Work } from "../spine/work.ts";
import { deleteReplaced, hideFiles, listUnbuilt } from "./index-queries.ts";

/**
 * Subscriber: has the indexes built that something changed, which triggers note. Strangers are served no index that names a package which
 * has become private, until the next one is built. Requests that add, delete or hide a package wait for that (`PackageIndexes`). The job is
 * for a process that ends before, and for all other changes.
 */
export async function followPackages(work: Work, event: Event): Promise<void> {
  switch (event.kind) {
    case "package-file.added":
    case "package-file.deleted":
    case "package.deleted":
    case "package.annotated":
    case "package.unlinked":
      return requestIndexes(work, event.owner.id);
    case "package.linked":
      if (event.repository.private) {
        await hideFiles(work.tx, { packageId: event.package.id });
      }
      return requestIndexes(work, event.owner.id);
    // A repository may have packages of a former owner.
    case "repository.deleted":
      return requestIndexes(work, null);
    case "repository.edited":
      if (event.changed.includes("private")) {
        if (event.repository.private) {
          await hideFiles(work.tx, { repositoryId: event.repository.id });
        }
        await requestIndexes(work, null);
      }
  }
}

/** Requests every index that is not what is wanted, of one owner or of all. */
async function requestIndexes(work: Work, of: number | null): Promise<void> {
  for (const { ownerId, type, name } of await listUnbuilt(work.tx, of)) {
    const job = newJob("package-index", { ownerId, type, name }, { key: `${ownerId}:${type}:${name}` });
    await work.enqueueForServer("index of packages", job);
  }
}

/** How long a client may take from the first file of a generation to the last, at least. */
const keptMs = 10 * 60_000;

/** Regular task: requests what is not what is wanted, and deletes generations that were replaced. Returns how many files of those. */
export async function keepIndexes({ change }: Pick<Forge, "change">): Promise<number> {
  return change(serverDoer("keep_package_indexes"), async (work) => {
    await requestIndexes(work, null);
    return deleteReplaced(work.tx, new Date(Date.now() - keptMs));
  });
}
