import { and, eq, inArray } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
import { owner } from "../../db/schema/owners.ts";
import { pull } from "../../db/schema/pulls.ts";
import { repository } from "../../db/schema/repositories.ts";

/** A branch of a fork with an open pull request that lets those push to it who may write to the code of its base. */
export interface MaintainedBranch {
  /** Short name. */
  branch: string;
  baseId: number;
  /** `owner/name`. */
  baseName: string;
}

/** Which branches of a repository others may push to, and whose maintainers; the same branch once for each base. `branches`: of these alone. */
export async function listMaintained(
  db: Reader,
  repositoryId: number,
  branches?: readonly string[],
): Promise<MaintainedBranch[]> {
  const rows = await db
    .selectDistinct({ branch: pull.headBranch, baseId: repository.id, owner: owner.name, name: repository.name })
    .from(pull)
    .innerJoin(repository, eq(repository.id, pull.baseRepositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(pull.headRepositoryId, repositoryId),
        branches === undefined ? undefined : inArray(pull.headBranch, [...branches]),
        eq(pull.open, true),
        eq(pull.flow, "branch"),
        eq(pull.allowMaintainerEdit, true),
      ),
    );
  return rows.map(({ branch, baseId, owner: baseOwner, name }) => ({
    branch,
    baseId,
    baseName: `${baseOwner}/${name}`,
  }));
}
