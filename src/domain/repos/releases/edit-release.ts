import type { RepositoryAccess } from "../../../auth/subject.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { changeAssets, checkAssets, type AssetChanges } from "./assets.ts";
import { lockForRelease } from "./lock-for-release.ts";
import { findReleaseRow, updateRelease, type ReleaseColumns, type ReleaseRow } from "./queries.ts";
import { checkTagName, ensureTag, findTagTarget } from "./release-tag.ts";

export type ReleasePatch = Partial<
  Pick<ReleaseColumns, "tagName" | "target" | "title" | "body" | "draft" | "prerelease" | "hideArchiveLinks">
>;

/** What an edit is about besides the columns. */
interface EditOptions {
  readonly files?: AssetChanges;
  /** `releaseVersion` of what the editor saw: an edit of something else is refused. */
  readonly seen?: string;
}

/** Tells apart what was written at different times, for a form that must not write over what somebody else wrote meanwhile. */
export function releaseVersion({
  tagName,
  target,
  title,
  body,
  draft,
  prerelease,
  hideArchiveLinks,
}: ReleaseRow): string {
  const fields = [tagName, target, title, body, draft, prerelease, hideArchiveLinks];
  return Bun.hash.xxHash3(JSON.stringify(fields)).toString(36);
}

/** Somebody else changed the release while it was edited. */
class ReleaseChanged extends StithyError {
  constructor(tag: string) {
    super(
      "conflict",
      "release-changed",
      "Somebody else changed the release while you edited it: look at it, then save yours over it",
      { tag },
    );
  }
}

/**
 * Changes a release. One that is no draft any more is published, which creates its tag where that does not exist. Throws
 * what createRelease throws, NotFound, and a conflict if it is not as it was seen.
 */
export async function editRelease(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  id: number,
  patch: ReleasePatch,
  { files = { add: [] }, seen }: EditOptions = {},
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
  await forge.change(doer, checkAssets(forge.config, files), async (work) => {
    const { tx } = work;
    const repository = await lockForRelease(work, access);
    const current = await findReleaseRow(tx, repository.id, { id });
    if (current === null) {
      throw new NotFound("release", String(id));
    }
    if (seen !== undefined && seen !== releaseVersion(current)) {
      throw new ReleaseChanged(current.tagName);
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
    await changeAssets(work, repository, id, files);
    work.tell({
      kind: publishes ? "release.published" : "release.updated",
      repository,
      release: { id, tagName: edited.tagName, title: edited.title, draft: edited.draft },
    });
  });
}
