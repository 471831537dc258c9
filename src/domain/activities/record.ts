import type { Transaction } from "../../db/client.ts";
import type { ActivityKind } from "../../db/schema/social.ts";
import { insertActivities } from "./queries.ts";

/** A ref that somebody moved; oids are hexadecimal. */
export interface MovedRef {
  name: string;
  oldOid: string | null;
  newOid: string | null;
}

/** More refs of one push than this are a mirror at work, not somebody's deeds. */
const mostRefsOfPush = 50;

const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

function kindOf({ name, newOid }: MovedRef): ActivityKind | null {
  if (name.startsWith(branchPrefix)) {
    return newOid === null ? "delete_branch" : "commit_repo";
  }
  return name.startsWith(tagPrefix) ? (newOid === null ? "delete_tag" : "push_tag") : null;
}

/** Writes down which branches and tags somebody moved, in the transaction that moves them. */
export async function recordMovedRefs(tx: Transaction, actorId: number, repositoryId: number, refs: readonly MovedRef[]): Promise<void> {
  const deeds = refs.slice(0, mostRefsOfPush).flatMap((ref) => {
    const kind = kindOf(ref);
    return kind === null ? [] : [{ kind, refName: ref.name, content: JSON.stringify({ old: ref.oldOid, new: ref.newOid }) }];
  });
  await insertActivities(tx, actorId, repositoryId, deeds);
}

/** Writes down that somebody created a repository. */
export async function recordCreatedRepository(tx: Transaction, actorId: number, repositoryId: number): Promise<void> {
  await insertActivities(tx, actorId, repositoryId, [{ kind: "create_repo", refName: "", content: "" }]);
}

/** Writes down that somebody gave a repository another name; `oldName` is `owner/name`. */
export async function recordRenamedRepository(tx: Transaction, actorId: number, repositoryId: number, oldName: string): Promise<void> {
  await insertActivities(tx, actorId, repositoryId, [{ kind: "rename_repo", refName: "", content: oldName }]);
}
