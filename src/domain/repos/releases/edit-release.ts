import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { lockForRelease } from "./lock-for-release.ts";
import { findReleaseRow, updateRelease, type ReleaseColumns } from "./queries.ts";
import { checkTagName, ensureTag, findTagTarget } from "./release-tag.ts";

export type ReleasePatch = Partial<
  Pick<ReleaseColumns, "tagName" | "target" | "title" | "body" | "draft" | "prerelease" | "hideArchiveLinks">
>;

/**
 * Changes a release. One that is no draft any more is published, which creates its tag where that does not exist. Throws
 * what createRelease throws, and NotFound.
 */
export async function editRelease(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  id: number,
  patch: ReleasePatch,
): Promise<void> {
  const before = await findReleaseRow(forge.database.db, access.repository.id, { id });
  if (before === null) {
    throw new NotFound("release", String(id));
  }
  if (patch.tagName !== undefined) {
    checkTagName(patch.tagName);
  }
  const { tagName, target, draft } = { ...before, ...patch };
  const commit = draft ? null : await findTagTarget(forge, access, tagName, target);
  await forge.change(doer, async (work) => {
    const { tx } = work;
    const repository = await lockForRelease(work, access);
    const current = await findReleaseRow(tx, repository.id, { id });
    if (current === null) {
      throw new NotFound("release", String(id));
    }
    const edited = { ...current, ...patch };
    const other =
      edited.tagName === current.tagName ? null : await findReleaseRow(tx, repository.id, { tag: edited.tagName });
    if (other !== null) {
      throw new Conflict(`The tag "${edited.tagName}" has a release already`, { tag: edited.tagName });
    }
    if (!edited.draft) {
      await ensureTag(work, repository, edited.tagName, commit);
    }
    const publishes = current.draft && !edited.draft;
    await updateRelease(tx, id, edited, publishes);
    work.tell({
      kind: publishes ? "release.published" : "release.updated",
      repository,
      release: { id, tagName: edited.tagName, title: edited.title, draft: edited.draft },
    });
  });
}
