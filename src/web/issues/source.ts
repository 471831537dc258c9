import type { RepositoryAccess } from "../../auth/subject.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findEntry } from "../../domain/work/comments/queries.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { issueLink } from "../links.ts";
import { readRowId } from "../read-row-id.ts";
import type { Visit } from "../visit.ts";

/** The Markdown of an issue, or of one of its comments by the id that somebody wrote. Throws NotFound. */
export async function findSource(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  number: number,
  comment: string,
) {
  const row = await getIssueRow(forge, access, number);
  if (comment === "") {
    return { row, text: row.body, address: issueLink(visit.root, access, row) };
  }
  const id = readRowId(comment);
  const found = id === null ? null : await findEntry(forge.database.db, access.repository.id, id);
  if (found === null || found.issue.id !== row.id || found.comment.kind !== "comment") {
    throw new NotFound("comment", comment);
  }
  const address = `${issueLink(visit.root, access, row)}#issuecomment-${found.comment.id}`;
  return { row, text: found.comment.body, address };
}
