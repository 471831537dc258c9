import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { attachmentsOfComments } from "../../domain/repos/attachments/queries.ts";
import { findEntry, type EntryOfIssue } from "../../domain/work/comments/queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findDetails } from "../../domain/work/issues/find-details-queries.ts";
import { mayReadIssue } from "../../domain/work/issues/access.ts";
import { readSpan } from "../common/instants.ts";
import { presentComment, type Home } from "./present.ts";

/** Returns an entry of a timeline that the viewer may read, by its id. Throws NotFound. */
export async function getEntry({ database }: Forge, access: RepositoryAccess, id: number): Promise<EntryOfIssue> {
  const found = await findEntry(database.db, access.repository.id, id);
  if (found === null || !mayReadIssue(access, found.issue)) {
    throw new NotFound("comment", String(id));
  }
  return found;
}

/** Presents comments of one repository, with a constant number of queries. */
export async function presentComments(
  { database, addresses }: Forge,
  viewer: Viewer,
  home: Home,
  rows: readonly EntryOfIssue[],
) {
  const commentIds = rows.map(({ comment }) => comment.id);
  const { users: authors, commentsHaveFiles } = await findDetails(database.db, viewer, {
    commentIds,
    userIds: rows.map(({ comment }) => comment.authorId),
  });
  const assets = commentsHaveFiles ? await attachmentsOfComments(database.db, commentIds) : [];
  const assetsOf = Map.groupBy(assets, ({ commentId }) => commentId);
  return rows.map((row) =>
    presentComment(
      addresses,
      home,
      { ...row, author: authors.get(row.comment.authorId ?? 0) ?? null, assets: assetsOf.get(row.comment.id) ?? [] },
      viewer.actor,
    ),
  );
}

export async function presentOneComment(forge: Forge, viewer: Viewer, access: RepositoryAccess, row: EntryOfIssue) {
  const [presented] = await presentComments(forge, viewer, access, [row]);
  if (presented === undefined) {
    throw new Error("A comment was presented as none");
  }
  return presented;
}

/** The span of time that a list is asked for. `string` is what the specification calls `since`. Throws InvalidInput. */
export function readCommentSpan({ since, string, before }: { since?: string; string?: string; before?: string }) {
  return since === undefined || since === ""
    ? readSpan({ since: string, before }, "string")
    : readSpan({ since, before });
}
