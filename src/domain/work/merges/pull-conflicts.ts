import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { FileConflict } from "../../../git/operations/read-conflicts.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import type { UserDoer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { findTip } from "../pulls/queries.ts";
import { findPushableHead } from "./find-pushable-head.ts";
import { getPullToMerge } from "./merge-pull.ts";
import { usualMessage } from "./update-pull.ts";

/** The conflicts of a pull request with its base, as the two branches are now. */
export interface PullConflicts {
  /** Where the branches are, hexadecimal. */
  readonly head: string;
  readonly base: string;
  readonly files: readonly FileConflict[];
  /** What the merge of the base into the head is called. */
  readonly message: string;
}

/** Files whose texts are read, and the bytes of each version of one. */
const bounds = { maxFiles: 20, maxBytes: 256 * 1024 };

/**
 * Reads the conflicts for somebody who may push to the head branch: a merge of the base into it is what resolves them. Throws NotFound, InvalidInput (it is
 * closed, or from no branch), Forbidden.
 */
export async function readPullConflicts(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
  signal?: AbortSignal,
): Promise<PullConflicts> {
  const found = await getPullToMerge(forge, access, number);
  const { pull } = found;
  if (!pull.open) {
    throw new InvalidInput(`Pull request #${number} is ${pull.mergedAt === null ? "closed" : "merged"}`);
  }
  await findPushableHead(forge, doer, access, found);
  const base = await findTip(forge.database.db, access.repository.id, pull.baseBranch);
  if (base === null) {
    throw new NotFound("branch", pull.baseBranch);
  }
  const view = await forge.git.views.current(access.repository);
  const files = await forge.git.engine.call(
    view,
    "readConflicts",
    { ours: pull.headOid, theirs: base, labels: { ours: pull.headBranch, theirs: pull.baseBranch }, ...bounds },
    signal,
  );
  return { head: pull.headOid, base, files, message: usualMessage(found) };
}
