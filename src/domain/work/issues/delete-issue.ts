import { seesEverybody } from "../../../auth/viewer-of.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import { keepLast } from "../../spine/events/last.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { getLockedIssue } from "./edit-issue.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import { isPullRequest, lockSequence, removeIssue } from "./edit-queries.ts";
import { completeIssues } from "./queries.ts";
import { namedIssue } from "./named-issue.ts";
import { listPinnedIds, orderPins } from "./pin-queries.ts";

/** Deletes an issue or a pull request with all that belongs to it. Nothing else gets its number. Throws NotFound. */
export async function deleteIssue(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  if (await isPullRequest(work.tx, access.repository.id, number)) {
    // Its refs go, whose lock comes first.
    await lockRepository(work.tx, access.repository.id);
  }
  await lockSequence(work.tx, access.repository.id);
  const row = await getLockedIssue(work, access, number);
  const [last] = await completeIssues(work.tx, seesEverybody, [row]);
  await removeIssue(work.tx, row.id);
  if (row.pinOrder !== null) {
    await orderPins(work.tx, await listPinnedIds(work.tx, access.repository.id, row.isPull));
  }
  work.tell({
    kind: "issue.deleted",
    repository: namedRepository(access),
    issue: namedIssue(row),
    last: keepLast(last),
  });
}
