import type { RepositoryAccess } from "../../../auth/subject.ts";
import { keepLast } from "../../spine/events/last.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { lockForRelease } from "./lock-for-release.ts";
import { deleteReleaseRow, findReleaseRow, type ReleaseKey } from "./queries.ts";

/** Deletes a release with its files; its tag stays. Throws NotFound, RepositoryArchived. */
export async function deleteRelease(work: Work, access: RepositoryAccess, key: ReleaseKey): Promise<void> {
  const repository = await lockForRelease(work, access);
  const row = await findReleaseRow(work.tx, repository.id, key);
  if (row === null) {
    throw new NotFound("release", "id" in key ? String(key.id) : key.tag);
  }
  await deleteReleaseRow(work.tx, row.id);
  const { id, tagName, title, draft } = row;
  work.tell({ kind: "release.deleted", repository, release: { id, tagName, title, draft }, last: keepLast(row) });
}
