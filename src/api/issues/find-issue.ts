import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findHomes } from "../../domain/work/issues/list-queries.ts";
import { completeIssues, type IssueRow } from "../../domain/work/issues/queries.ts";
import { presentIssue } from "./present.ts";

/** Presents issues of one repository, with a constant number of queries. */
export async function presentIssues(forge: Forge, viewer: Viewer, access: RepositoryAccess, rows: readonly IssueRow[]) {
  const found = await completeIssues(forge.database.db, viewer, rows);
  return found.map((one) => presentIssue(forge, access, one, viewer.actor));
}

/** Presents issues of any repositories that the viewer may see, with a constant number of queries. */
export async function presentIssuesOfMany(forge: Forge, viewer: Viewer, rows: readonly IssueRow[]) {
  const { database } = forge;
  const [found, homes] = await Promise.all([
    completeIssues(database.db, viewer, rows),
    findHomes(
      database.db,
      rows.map(({ repositoryId }) => repositoryId),
    ),
  ]);
  // A repository that was deleted meanwhile has no issues any more.
  return found.flatMap((one) => {
    const home = homes.get(one.issue.repositoryId);
    return home === undefined ? [] : [presentIssue(forge, home, one, viewer.actor)];
  });
}

export async function presentOneIssue(forge: Forge, viewer: Viewer, access: RepositoryAccess, row: IssueRow) {
  const [presented] = await presentIssues(forge, viewer, access, [row]);
  if (presented === undefined) {
    throw new Error("An issue was presented as none");
  }
  return presented;
}
