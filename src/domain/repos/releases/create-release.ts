import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Doer } from "../../spine/doer.ts";
import { Conflict } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import type { NewAttachment } from "../attachments/add-attachment.ts";
import { changeAssets, checkAssets } from "./assets.ts";
import { lockForRelease } from "./lock-for-release.ts";
import { findReleaseRow, insertRelease } from "./queries.ts";
import { checkTagName, ensureTag, findTagTarget } from "./release-tag.ts";

export interface NewRelease {
  /** Without refs/tags/. */
  tagName: string;
  /** Where the tag is created if it does not exist; null: at the default branch. */
  target: string | null;
  title: string;
  body: string;
  draft: boolean;
  prerelease: boolean;
  hideArchiveLinks: boolean;
  /** Files that it has from the beginning. */
  files?: readonly NewAttachment[];
}

/**
 * Creates a release, and its tag if that does not exist; a draft creates no tag. Returns its id. Throws InvalidInput (the
 * name of the tag, an empty repository), InvalidAttachment, NotFound (the target), Conflict when the tag has a release, and
 * what moveRefs throws.
 */
export async function createRelease(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  { target: asked, files = [], ...fields }: NewRelease,
): Promise<number> {
  const { tagName, draft } = fields;
  checkTagName(tagName);
  const changed = { add: files };
  const target = asked ?? access.repository.defaultBranch;
  const commit = draft ? null : await findTagTarget(forge, access, tagName, target);
  return forge.change(doer, checkAssets(forge.config, changed), async (work) => {
    const repository = await lockForRelease(work, access);
    if ((await findReleaseRow(work.tx, repository.id, { tag: tagName })) !== null) {
      throw new Conflict(`The tag "${tagName}" has a release already`, { tag: tagName });
    }
    if (!draft) {
      await ensureTag(work, repository, tagName, commit);
    }
    const { id, title } = await insertRelease(work.tx, repository.id, { ...fields, target, authorId: work.actorId });
    await changeAssets(work, repository, id, changed);
    if (!draft) {
      work.tell({ kind: "release.published", repository, release: { id, tagName, title, draft } });
    }
    return id;
  });
}
