import { and, desc, eq, getTableColumns, inArray } from "drizzle-orm";
import type { OwnerRow } from "../../../auth/subject.ts";
import type { Viewer } from "../../../auth/viewer-of.ts";
import type { Database } from "../../../db/client.ts";
import { comment } from "../../../db/schema/comments.ts";
import { issue } from "../../../db/schema/issues.ts";
import { review } from "../../../db/schema/pulls.ts";
import { attachmentsOfComments, type AttachmentRow } from "../../repos/attachments/queries.ts";
import { issueOfComment, knownUsers, type EntryOfIssue } from "../comments/queries.ts";
import type { Deed } from "./queries.ts";

/** The stored data of an activity in an issue or a pull request. It has no text, so that deleted text is not shown. */
export interface StoredSubject {
  readonly issue: number;
  readonly number: number;
  readonly comment?: number;
  readonly review?: number;
}

/** The subject of an activity, as it is now. */
export interface DeedSubject {
  number: number;
  /** Empty: the issue is gone. */
  title: string;
  comment: (EntryOfIssue & { author: OwnerRow | null; assets: AttachmentRow[] }) | null;
  /** `reason`: what was said when it was dismissed. */
  review: { body: string; reviewer: OwnerRow | null; reason: string } | null;
}

/** Reads the stored subject of an activity; null if it is not about an issue or a pull request. */
function storedSubject({ activity: { content } }: Deed): StoredSubject | null {
  const stored: Partial<StoredSubject> | null = content.startsWith("{")
    ? (JSON.parse(content) as Partial<StoredSubject>)
    : null;
  return typeof stored?.issue === "number" ? (stored as StoredSubject) : null;
}

/**
 * Finds the subjects of these activities, by the activities' ids. The caller has checked that the viewer may read them.
 * At most six queries.
 */
export async function findDeedSubjects(
  db: Database,
  viewer: Viewer,
  deeds: readonly Deed[],
): Promise<Map<number, DeedSubject>> {
  const stored = deeds.flatMap((deed) => {
    const subject = storedSubject(deed);
    return subject === null ? [] : [{ id: deed.activity.id, at: deed.activity.at, subject }];
  });
  if (stored.length === 0) {
    return new Map();
  }
  const commentIds = stored.flatMap(({ subject }) => subject.comment ?? []);
  const reviewIds = stored.flatMap(({ subject }) => subject.review ?? []);
  const [issues, comments, reviews, reasons, assets] = await Promise.all([
    db
      .select({ id: issue.id, title: issue.title })
      .from(issue)
      .where(
        inArray(
          issue.id,
          stored.map(({ subject }) => subject.issue),
        ),
      ),
    commentIds.length === 0
      ? []
      : db
          .select({ comment: getTableColumns(comment), issue: issueOfComment })
          .from(comment)
          .innerJoin(issue, eq(issue.id, comment.issueId))
          .where(and(inArray(comment.id, commentIds), eq(comment.kind, "comment"), eq(comment.pending, false))),
    reviewIds.length === 0
      ? []
      : db
          .select({ id: review.id, body: review.body, reviewerId: review.reviewerId })
          .from(review)
          .where(inArray(review.id, reviewIds)),
    reviewIds.length === 0
      ? []
      : db
          .select({ reviewId: comment.reviewId, body: comment.body, at: comment.createdAt })
          .from(comment)
          .where(and(inArray(comment.reviewId, reviewIds), eq(comment.kind, "dismiss_review")))
          .orderBy(desc(comment.id)),
    attachmentsOfComments(db, commentIds),
  ]);
  const userIds = [...comments.map((one) => one.comment.authorId), ...reviews.map(({ reviewerId }) => reviewerId)];
  const users = await knownUsers(db, viewer, userIds);
  const titles = new Map(issues.map(({ id, title }) => [id, title]));
  const entries = new Map(comments.map((one) => [one.comment.id, one]));
  const given = new Map(reviews.map((one) => [one.id, one]));
  return new Map(
    stored.map(({ id, at, subject }) => {
      const entry = entries.get(subject.comment ?? 0);
      const found = given.get(subject.review ?? 0);
      // It may have been dismissed again later.
      const reason = reasons.find((one) => one.reviewId === subject.review && one.at <= at)?.body ?? "";
      return [
        id,
        {
          number: subject.number,
          title: titles.get(subject.issue) ?? "",
          comment:
            entry === undefined
              ? null
              : {
                  ...entry,
                  author: users.get(entry.comment.authorId ?? 0) ?? null,
                  assets: assets.filter(({ commentId }) => commentId === entry.comment.id),
                },
          review:
            found === undefined
              ? null
              : { body: found.body, reviewer: users.get(found.reviewerId ?? 0) ?? null, reason },
        },
      ];
    }),
  );
}
