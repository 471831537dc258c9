import { and, desc, eq, getTableColumns, gt, isNotNull, sql } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment, formerContent } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import type { OnIssue } from "../../repos/attachments/queries.ts";
import { keptVersions } from "../issues/edit-queries.ts";

/** An edit of a text. */
export interface TextEdit {
  readonly id: number;
  /** null: they are gone. */
  readonly editor: OwnerRow | null;
  readonly createdAt: Date;
  /** When the text from before it was deleted; null: it is there. */
  readonly forgottenAt: Date | null;
}

/** Edits that changed the text, and not only the title. */
const ofText = ({ issueId, commentId }: OnIssue) =>
  and(
    eq(formerContent.issueId, issueId),
    sql`${formerContent.commentId} is not distinct from ${commentId}::bigint`,
    isNotNull(formerContent.body),
  );

/** The edits of a text, the latest first. */
export async function listEdits(db: Reader, on: OnIssue): Promise<TextEdit[]> {
  const { id, createdAt, forgottenAt } = formerContent;
  return db
    .select({ id, createdAt, forgottenAt, editor: getTableColumns(owner) })
    .from(formerContent)
    .leftJoin(owner, eq(owner.id, formerContent.editorId))
    .where(ofText(on))
    .orderBy(desc(id))
    .limit(keptVersions);
}

/** The texts before and after an edit; null: there is no such edit. */
export async function findEdit(
  db: Reader,
  on: OnIssue,
  id: number,
): Promise<{ before: string; after: string; forgottenAt: Date | null } | null> {
  const now =
    on.commentId === null
      ? sql`(select ${issue.body} from ${issue} where ${issue.id} = ${on.issueId})`
      : sql`(select ${comment.body} from ${comment} where ${comment.id} = ${on.commentId})`;
  const next = db
    .select({ body: formerContent.body })
    .from(formerContent)
    .where(and(ofText(on), gt(formerContent.id, id)))
    .orderBy(formerContent.id)
    .limit(1);
  const [row] = await db
    .select({
      before: formerContent.body,
      after: sql<string>`coalesce(${next}, ${now})`,
      forgottenAt: formerContent.forgottenAt,
    })
    .from(formerContent)
    .where(and(ofText(on), eq(formerContent.id, id)));
  return row === undefined ? null : { ...row, before: row.before ?? "" };
}

/** Deletes the text from before an edit. Returns whether it was there. */
export async function forgetText(tx: Transaction, on: OnIssue, id: number): Promise<boolean> {
  const rows = await tx
    .update(formerContent)
    .set({ body: "", forgottenAt: sql`now()` })
    .where(and(ofText(on), eq(formerContent.id, id)))
    .returning({ id: formerContent.id });
  return rows.length > 0;
}
