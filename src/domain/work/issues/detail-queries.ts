import { and, asc, eq, inArray, or, sql } from "drizzle-orm";
import { usersGivenSql } from "../../../auth/access-sql.ts";
import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Transaction } from "../../../db/client.ts";
import { label, milestone } from "../../../db/schema/issues.ts";
import { accessModes, account, owner } from "../../../db/schema/owners.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import type { LabelRow, MilestoneRow } from "./queries.ts";

type Target = Pick<RepositoryAccess, "repository" | "owner">;

/** Most assignees, and most labels, of one issue. */
export const mostPerIssue = 100;

/**
 * The users to whom an issue is assigned, by name: those who were given write access to issues or pull requests. Throws
 * InvalidInput that names the field for others, whether they exist or not, and for too many.
 */
export async function findAssignees(
  tx: Transaction,
  { repository, owner: holder }: Target,
  names: readonly string[],
  field: string,
): Promise<{ id: number; name: string }[]> {
  const wanted = new Map(names.map((name) => [name.toLowerCase(), name]));
  if (wanted.size > mostPerIssue) {
    throw new InvalidInput(`An issue has at most ${mostPerIssue} assignees`, field);
  }
  if (wanted.size === 0) {
    return [];
  }
  const given = usersGivenSql(repository.id, holder.id, ["issues", "pulls"], accessModes.write);
  const found = await tx
    .select({ id: owner.id, name: owner.name, lowerName: owner.lowerName })
    .from(owner)
    .innerJoin(account, eq(account.ownerId, owner.id))
    .where(
      and(
        inArray(owner.lowerName, [...wanted.keys()]),
        account.active,
        sql`not ${account.suspended}`,
        sql`${owner.id} in (select given.id from ${given} given)`,
      ),
    );
  const lowerNames = new Set(found.map(({ lowerName }) => lowerName));
  const missing = [...wanted].find(([lowerName]) => !lowerNames.has(lowerName));
  if (missing !== undefined) {
    throw new InvalidInput(`Nothing can be assigned to "${clip(missing[1], 80)}" here`, field);
  }
  return found.map(({ id, name }) => ({ id, name }));
}

/** Returns the part of an exclusive label's name before the last slash; null for other labels. */
export function exclusiveScope({ name, exclusive }: Pick<LabelRow, "name" | "exclusive">): string | null {
  const slash = name.lastIndexOf("/");
  return exclusive && slash > 0 ? name.slice(0, slash).toLowerCase() : null;
}

/**
 * The labels of these ids that a repository can use, by name: its own and its organization's. Throws InvalidInput that names the field when
 * one is not among them, when there are too many, and when two are of one exclusive scope.
 */
export async function findLabels(
  tx: Transaction,
  { repository, owner: holder }: Target,
  ids: readonly number[],
  field: string,
): Promise<LabelRow[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length > mostPerIssue) {
    throw new InvalidInput(`An issue has at most ${mostPerIssue} labels`, field);
  }
  if (wanted.length === 0) {
    return [];
  }
  const found = await tx
    .select()
    .from(label)
    .where(and(inArray(label.id, wanted), or(eq(label.repositoryId, repository.id), eq(label.ownerId, holder.id))))
    .orderBy(asc(label.name), asc(label.id));
  const missing = wanted.find((id) => !found.some((row) => row.id === id));
  if (missing !== undefined) {
    throw new InvalidInput(`The repository has no label ${missing}`, field);
  }
  checkScopes(found, field);
  return found;
}

/** Throws InvalidInput when two labels are of one exclusive scope. */
export function checkScopes(labels: readonly LabelRow[], field: string): void {
  const byScope = new Map<string, LabelRow>();
  for (const row of labels) {
    const scope = exclusiveScope(row);
    const other = scope === null ? undefined : byScope.get(scope);
    if (other !== undefined) {
      throw new InvalidInput(
        `The labels "${clip(other.name, 80)}" and "${clip(row.name, 80)}" exclude each other: an issue has one label of the scope "${clip(scope ?? "", 80)}"`,
        field,
      );
    }
    if (scope !== null) {
      byScope.set(scope, row);
    }
  }
}

/** A milestone of a repository. Throws InvalidInput that names the field when there is none of the id. */
export async function findMilestone(
  tx: Transaction,
  { repository }: Target,
  id: number,
  field: string,
): Promise<MilestoneRow> {
  const [row] = await tx
    .select()
    .from(milestone)
    .where(and(eq(milestone.id, id), eq(milestone.repositoryId, repository.id)));
  if (row === undefined) {
    throw new InvalidInput(`The repository has no milestone ${id}`, field);
  }
  return row;
}
