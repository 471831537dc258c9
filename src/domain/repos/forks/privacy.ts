import type { OwnerRow, RepositoryRow } from "../../../auth/subject.ts";

interface Parent {
  repository: Pick<RepositoryRow, "private">;
  owner: Pick<OwnerRow, "id" | "visibility">;
}

/**
 * Whether a fork of `owner` has to be private because somebody would see it who may not see its parent: the parent is
 * private, or only members of its owner see it, or only signed-in users do and the fork would be seen by everybody.
 * `hiddenParentSql` (repos/fork-queries.ts) is the same rule.
 */
export function isParentHidden(parent: Parent, owner: Pick<OwnerRow, "id" | "visibility">): boolean {
  const { visibility } = parent.owner;
  return (
    parent.repository.private ||
    (parent.owner.id !== owner.id &&
      (visibility === "private" || (visibility === "limited" && owner.visibility === "public")))
  );
}
