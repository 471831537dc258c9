import type { RepositoryAccess } from "../../../auth/subject.ts";
import { isTagName } from "../../../git/refs/ref-name.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import type { NamedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { moveRefs, RefsRefused } from "../../git/refs/move-refs.ts";
import { hasTag } from "../../git/refs/queries.ts";
import type { Work } from "../../spine/work.ts";

const longestName = 255;

/** Throws InvalidInput for what cannot be the name of a tag. */
export function checkTagName(name: string): void {
  if (name.length > longestName || !isTagName(name)) {
    throw new InvalidInput(`tag_name "${clip(name, 80)}" cannot be the name of a tag`, "tag_name");
  }
}

/**
 * Finds the commit for a tag that is still to be created, since the engine is not asked within a transaction; null where
 * the tag exists. Throws InvalidInput for an empty repository, NotFound for a target that leads to no commit.
 */
export async function findTagTarget(
  { git, database }: Forge,
  { repository }: RepositoryAccess,
  tag: string,
  target: string,
): Promise<string | null> {
  if (await hasTag(database.db, repository.id, tag)) {
    return null;
  }
  const revision = await git.revisions.find(repository, target);
  if (revision !== null) {
    return revision.commit;
  }
  if (repository.empty) {
    throw new InvalidInput(
      "The repository is empty, so there is no commit to release: push one first, or create a draft",
      "target_commitish",
    );
  }
  throw new NotFound("branch, tag or commit", clip(target, 80));
}

/** Creates the tag at the commit where it does not exist. The repository's row is locked. Throws InvalidInput for a protected tag, Conflict, and what moveRefs throws. */
export async function ensureTag(
  work: Work,
  repository: NamedRepository,
  tag: string,
  commit: string | null,
): Promise<void> {
  if (await hasTag(work.tx, repository.id, tag)) {
    return;
  }
  if (commit === null) {
    throw new Conflict(`The tag "${tag}" was deleted in this moment: try again`, { tag });
  }
  const changes = [{ name: `refs/tags/${tag}`, oldOid: null, newOid: commit, peeled: null }];
  try {
    await moveRefs(work, { repository, changes, reason: "create release" });
  } catch (error) {
    if (error instanceof RefsRefused && error.code === "tag-protected") {
      // To a release the tag is one of its fields.
      throw new InvalidInput(`tag_name cannot be used: ${error.message}`, "tag_name");
    }
    throw error;
  }
}
