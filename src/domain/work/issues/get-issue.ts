import type { RepositoryAccess } from "../../../auth/subject.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { mayReadIssue } from "./access.ts";
import { findIssueRow, type IssueRow } from "./queries.ts";

/** Returns an issue or pull request that the viewer may read, by its number. Throws NotFound. */
export async function getIssueRow(
  { database }: Pick<Forge, "database">,
  access: RepositoryAccess,
  number: number,
): Promise<IssueRow> {
  const row = await findIssueRow(database.db, access.repository.id, number);
  if (row === null || !mayReadIssue(access, row)) {
    throw new NotFound("issue", String(number));
  }
  return row;
}
