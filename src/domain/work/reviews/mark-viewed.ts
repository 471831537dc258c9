import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { findReviewedPull } from "./queries.ts";
import { countViewed, insertViewed, removeViewed } from "./viewed-queries.ts";

/** As many files as a comparison has at most. */
const mostFiles = 20_000;
const longestPath = 4096;

/**
 * Marks a file of a pull request as looked at in the version that the doer saw, or as not. `oid`: its blob, hexadecimal; empty: it is
 * deleted. Another version is not marked. Throws NotFound, Forbidden and InvalidInput.
 */
export async function markViewed(
  work: Work,
  { repository }: RepositoryAccess,
  number: number,
  { path, oid, isViewed }: { path: string; oid: string; isViewed: boolean },
): Promise<void> {
  const found = await findReviewedPull(work.tx, repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  if (work.actorId === null) {
    throw new Forbidden("Only users mark files as viewed");
  }
  const of = { pullId: found.issue.id, userId: work.actorId, path };
  if (!isViewed) {
    await removeViewed(work.tx, of);
    return;
  }
  if (path === "" || path.length > longestPath || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/.test(oid)) {
    throw new InvalidInput(`"${clip(path, 80)}" is no file of a pull request`, "path");
  }
  if ((await countViewed(work.tx, of.pullId, of.userId)) >= mostFiles) {
    throw new InvalidInput(`At most ${mostFiles} files of a pull request are marked`, "path");
  }
  await insertViewed(work.tx, { ...of, oid: Buffer.from(oid, "hex") });
}
