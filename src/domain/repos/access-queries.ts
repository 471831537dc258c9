import { and, eq, sql } from "drizzle-orm";
import { accessColumns, unitVisibleSql } from "../../auth/access-sql.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { repositoryAccess } from "../../auth/unit-modes.ts";
import { viewerOf, type Viewer } from "../../auth/viewer-of.ts";
import type { Reader } from "../../db/client.ts";
import { repositoryCount, repositorySize } from "../../db/schema/lists.ts";
import { owner, type Unit } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";
import { countColumns } from "./queries.ts";

/** Returns the viewer's access to those of these repositories of which they see the unit. */
export async function findAccesses(
  db: Reader,
  viewer: Viewer,
  unit: Unit,
  ids: readonly number[],
): Promise<Map<number, RepositoryAccess>> {
  if (ids.length === 0) {
    return new Map();
  }
  const reader = viewerOf(viewer);
  const rows = await db
    .select({ repository, owner, counts: countColumns, modes: accessColumns(reader) })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(repositorySize, eq(repositorySize.repositoryId, repository.id))
    .innerJoin(repositoryCount, eq(repositoryCount.repositoryId, repository.id))
    .where(and(sql`${repository.id} = any(${sql.param([...ids])}::bigint[])`, unitVisibleSql(reader, unit)));
  return new Map(
    rows.map(({ repository: of, owner: by, counts, modes }) => [of.id, repositoryAccess(of, by, counts, modes)]),
  );
}
