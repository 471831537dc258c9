import { and, eq, sql, type SQL } from "drizzle-orm";
import { discussionVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { comment, formerContent, reaction, type TimelineKind } from "../../../db/schema/comments.ts";
import { issue, issueDependency, issueMention, issueRedirect, issueSubscription } from "../../../db/schema/issues.ts";
import { owner } from "../../../db/schema/owners.ts";
import { attachment } from "../../../db/schema/releases.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { stopwatch, trackedTime } from "../../../db/schema/times.ts";

/** An issue that goes, and what it becomes. */
export interface Move {
  readonly oldId: number;
  readonly newId: number;
  readonly repositoryId: number;
}

/** The entries of a timeline that mean the same elsewhere. */
const kinds: readonly TimelineKind[] = [
  "comment",
  "close",
  "reopen",
  "change_title",
  "lock",
  "unlock",
  "added_deadline",
  "modified_deadline",
  "removed_deadline",
  "issue_ref",
  "comment_ref",
  "pull_ref",
];

/** Comments by their ids before and after. */
type Renamed = ReadonlyMap<number, number>;

const pairs = (renamed: Renamed): SQL =>
  sql`unnest(${sql.param([...renamed.keys()])}::bigint[], ${sql.param([...renamed.values()])}::bigint[]) as renamed (old_id, new_id)`;

/** Copies the entries of a timeline. Rows are inserted and not changed, so that triggers count them where they are. */
export async function copyEntries(tx: Transaction, { oldId, newId, repositoryId }: Move): Promise<Renamed> {
  const old = await tx
    .select({ id: comment.id })
    .from(comment)
    .where(and(eq(comment.issueId, oldId), sql`${comment.kind} = any(${sql.param([...kinds])}::text[])`))
    .orderBy(comment.id);
  const ids = sql.param(old.map(({ id }) => id));
  const made = await tx.execute<{ id: string }>(sql`
    insert into comment (repository_id, issue_id, kind, author_id, original_author, original_author_id, body, by_guest, content_version,
        old_text, new_text, other_issue_id, other_comment_id, ref_action, ref_done, ref_key, created_at, updated_at)
      select ${repositoryId}, ${newId}, kind, author_id, original_author, original_author_id, body, by_guest, content_version,
        old_text, new_text, other_issue_id, other_comment_id, ref_action, ref_done, ref_key, created_at, updated_at
      from comment where id = any(${ids}::bigint[]) order by id
    returning id`);
  const news = made.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
  return new Map(old.map(({ id }, index) => [id, news[index] ?? 0]));
}

/** Gives the new issue what belongs to the texts of the old one: reactions, former texts, and files, which keep their addresses. */
export async function moveBelongings(
  tx: Transaction,
  { oldId, newId, repositoryId }: Move,
  renamed: Renamed,
): Promise<{ bytes: number; byGuest: boolean }[]> {
  const newComment = sql`renamed.new_id`;
  await tx.execute(sql`
    insert into ${reaction} (issue_id, comment_id, user_id, content, created_at)
      select ${newId}, ${newComment}, reaction.user_id, reaction.content, reaction.created_at
      from ${reaction} left join ${pairs(renamed)} on renamed.old_id = reaction.comment_id
      where reaction.issue_id = ${oldId} and (reaction.comment_id is null or ${newComment} is not null)`);
  await tx.execute(sql`
    insert into ${formerContent} (issue_id, repository_id, by_guest, comment_id, title, body, editor_id, created_at, forgotten_at)
      select ${newId}, ${repositoryId}, former.by_guest, ${newComment}, former.title, former.body, former.editor_id, former.created_at, former.forgotten_at
      from ${formerContent} as former left join ${pairs(renamed)} on renamed.old_id = former.comment_id
      where former.issue_id = ${oldId} and (former.comment_id is null or ${newComment} is not null) order by former.id`);
  const files = await tx.execute<{ bytes: string; by_guest: boolean }>(sql`
    with gone as (delete from ${attachment} where issue_id = ${oldId} returning *)
    insert into ${attachment} (uuid, repository_id, uploader_id, issue_id, comment_id, name, sha256, external_url, bytes, by_guest, content_type, width, height, downloads, created_at)
      select gone.uuid, ${repositoryId}, gone.uploader_id, ${newId}, ${newComment}, gone.name, gone.sha256, gone.external_url, gone.bytes,
        gone.by_guest, gone.content_type, gone.width, gone.height, gone.downloads, gone.created_at
      from gone left join ${pairs(renamed)} on renamed.old_id = gone.comment_id
      where gone.comment_id is null or ${newComment} is not null order by gone.id
    returning bytes, by_guest`);
  return files.map(({ bytes, by_guest: byGuest }) => ({ bytes: Number(bytes), byGuest }));
}

/** Has what refers to the old issue refer to the new one: other timelines, readers, dependencies, times, and the addresses that it had before. */
export async function moveReferences(
  tx: Transaction,
  { oldId, newId, repositoryId }: Move,
  renamed: Renamed,
): Promise<void> {
  await tx.update(comment).set({ otherIssueId: newId }).where(eq(comment.otherIssueId, oldId));
  await tx.execute(
    sql`update ${comment} set other_comment_id = renamed.new_id from ${pairs(renamed)} where other_comment_id = renamed.old_id`,
  );
  await tx.execute(
    sql`insert into ${issueSubscription} (issue_id, user_id, watching) select ${newId}, user_id, watching from ${issueSubscription} where issue_id = ${oldId} on conflict do nothing`,
  );
  await tx.execute(
    sql`insert into ${issueMention} (issue_id, user_id) select ${newId}, user_id from ${issueMention} where issue_id = ${oldId} on conflict do nothing`,
  );
  await tx.update(issueDependency).set({ issueId: newId }).where(eq(issueDependency.issueId, oldId));
  await tx.update(issueDependency).set({ dependsOnId: newId }).where(eq(issueDependency.dependsOnId, oldId));
  await tx.update(trackedTime).set({ issueId: newId, repositoryId }).where(eq(trackedTime.issueId, oldId));
  await tx.update(stopwatch).set({ issueId: newId }).where(eq(stopwatch.issueId, oldId));
  await tx.update(issueRedirect).set({ issueId: newId }).where(eq(issueRedirect.issueId, oldId));
}

export async function insertRedirect(
  tx: Transaction,
  repositoryId: number,
  number: number,
  issueId: number,
): Promise<void> {
  await tx.insert(issueRedirect).values({ repositoryId, number, issueId });
}

/** Where the issue of a number went, if the viewer may read it there; null: there is none. */
export async function findMoved(db: Reader, viewer: Viewer, repositoryId: number, number: number) {
  const [row] = await db
    .select({
      issue: { number: issue.number, isPull: issue.isPull },
      repository: { name: repository.name },
      owner: { name: owner.name },
    })
    .from(issueRedirect)
    .innerJoin(issue, eq(issue.id, issueRedirect.issueId))
    .innerJoin(repository, eq(repository.id, issue.repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(issueRedirect.repositoryId, repositoryId),
        eq(issueRedirect.number, number),
        discussionVisibleSql(viewerOf(viewer), issue.isPull),
      ),
    );
  return row ?? null;
}
