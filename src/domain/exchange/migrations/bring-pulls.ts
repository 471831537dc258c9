import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { MergePreview } from "../../../git/operations/preview-merge.ts";
import { StithyError } from "../../../lib/errors.ts";
import { insertEntry } from "../../work/comments/queries.ts";
import type { Forge } from "../../spine/forge.ts";
import { mostConflicts } from "../../work/pulls/create-pull.ts";
import { headRef } from "../../work/pulls/pull-refs.ts";
import { insertBroughtPull, type BroughtPull } from "../../work/pulls/write-queries.ts";
import { insertLineComment } from "../../work/reviews/comment-queries.ts";
import { addReviewComments, insertReview } from "../../work/reviews/queries.ts";
import type { BroughtAuthor } from "../seeding/seed-issues.ts";
import type { Work } from "../../spine/work.ts";
import {
  readLineComment,
  readReview,
  type SourceLineComment,
  type SourcePull,
  type SourceReview,
} from "./read-pulls.ts";
import type { AuthorOf } from "./read-items.ts";
import type { SourceAuthors } from "./source-authors.ts";
import type { SourceClient } from "./source-client.ts";

/** A review with its comments on lines. */
interface ReviewToBring {
  review: SourceReview;
  comments: readonly SourceLineComment[];
}

/** The columns of a pull request beside its issue, ready to be written. */
export interface PullToBring {
  pull: BroughtPull;
  reviews: readonly ReviewToBring[];
}

/** Where pull requests are brought to: the refs that the repository has by now. */
export interface PullPlace {
  access: RepositoryAccess;
  view: RepositoryView;
  /** Oids by the full names of refs. */
  refs: ReadonlyMap<string, string>;
  /** Pairs of branches of open pull requests: of two of the same pair one has no branch any more. */
  taken: Set<string>;
}

export async function openPullPlace(forge: Forge, access: RepositoryAccess): Promise<PullPlace> {
  const { refs, views } = forge.git;
  const { repository } = access;
  const listed = await refs.listRefs(repository.id);
  const view = await views.current(repository);
  return { access, view, refs: new Map(listed.map(({ name, oid }) => [name, oid])), taken: new Set() };
}

/**
 * Looks up the commits of a pull request, and what is between them. Returns null where they are not there: then it can be
 * brought only as an issue. Throws what the engine throws.
 */
export async function preparePull(forge: Forge, place: PullPlace, source: SourcePull): Promise<BroughtPull | null> {
  const { access, refs, view } = place;
  const { engine } = forge.git;
  const wanted = [refs.get(headRef(source.number)) ?? source.headOid, source.baseOid, source.mergeOid];
  const found = await engine.call(view, "readCommits", { oids: wanted.flatMap((oid) => oid ?? []) });
  const commits = new Map(found.flatMap((commit) => (commit === null ? [] : [[commit.oid, commit] as const])));
  const [head, theirBase, merge] = wanted.map((oid) => (oid === null ? undefined : commits.get(oid)));
  const tip = refs.get(`refs/heads/${source.baseBranch}`);
  const base = source.open ? tip : (merge?.parents[0] ?? theirBase?.oid ?? tip);
  if (head === undefined || base === undefined) {
    return null;
  }
  const preview = await tryMerge(forge, view, base, head.oid);
  const isThere = source.isOwn && (!source.open || refs.get(`refs/heads/${source.headBranch}`) === head.oid);
  const pair = `${source.baseBranch}\0${source.headBranch}`;
  const isFree = !source.open || !place.taken.has(pair);
  if (source.open && isThere) {
    place.taken.add(pair);
  }
  return {
    open: source.open,
    baseRepositoryId: access.repository.id,
    baseBranch: source.baseBranch,
    headRepositoryId: isThere && isFree ? access.repository.id : null,
    headBranch: source.headBranch,
    checked: { baseOid: base, headOid: head.oid, preview },
    merged: merge === undefined ? null : { at: source.mergedAt ?? new Date(), oid: merge.oid },
  };
}

/** null: the engine could not do it. */
async function tryMerge(forge: Forge, view: RepositoryView, base: string, head: string): Promise<MergePreview | null> {
  try {
    return await forge.git.engine.call(view, "previewMerge", { base, head, maxConflicts: mostConflicts });
  } catch (error) {
    if (error instanceof StithyError && error.kind === "busy") {
      throw error;
    }
    return null;
  }
}

/** Reads the reviews of a pull request with their comments on lines. Throws RemoteFailed. */
export async function readReviews(
  client: SourceClient,
  authors: SourceAuthors,
  number: number,
): Promise<ReviewToBring[]> {
  const readAll = async <Item>(values: readonly unknown[], read: (value: unknown, of: AuthorOf) => Item | null) => {
    await authors.learn(values);
    return values.flatMap((value) => read(value, authors.of) ?? []);
  };
  const reviews = await readAll(await client.all(`/pulls/${number}/reviews`), readReview);
  // GitHub lists the comments of all reviews together.
  const all = client.service === "github" ? await client.all(`/pulls/${number}/comments`) : null;
  const brought: ReviewToBring[] = [];
  for (const review of reviews) {
    const comments =
      all === null
        ? await readAll(await client.all(`/pulls/${number}/reviews/${review.id}/comments`), readLineComment)
        : (await readAll(all, readLineComment)).filter(({ reviewId }) => reviewId === review.id);
    if (review.kind !== "comment" || review.body !== "" || comments.length > 0) {
      brought.push({ review, comments });
    }
  }
  return brought;
}

/**
 * Writes what a pull request has beside its issue. `moverId` asked for the migration. Nobody's review counts for the rules
 * of a branch.
 */
export async function writePull(
  { tx }: Work,
  issueId: number,
  moverId: number,
  { pull, reviews }: PullToBring,
): Promise<void> {
  const { baseRepositoryId: repositoryId } = pull;
  await insertBroughtPull(tx, issueId, pull, moverId);
  let count = 0;
  for (const { review, comments } of reviews) {
    const head = Buffer.from(pull.checked.headOid, "hex");
    const commitOid = review.commitOid === null ? head : Buffer.from(review.commitOid, "hex");
    const row = await insertReview(tx, {
      pullId: issueId,
      kind: review.kind,
      reviewerId: review.author.authorId,
      body: review.body,
      commitOid,
      stale: !commitOid.equals(head),
      dismissed: review.dismissed,
      createdAt: review.at,
      updatedAt: review.at,
      submittedAt: review.at,
    });
    const entry = { repositoryId, issueId, reviewId: row.id };
    const text = { kind: "review", body: review.body, createdAt: review.at, updatedAt: review.at } as const;
    await insertEntry(tx, { ...entry, ...writtenBy(review.author), ...text });
    for (const comment of comments) {
      const { path, side, line, diffHunk, body } = comment;
      const at = comment.commitOid === null ? commitOid : Buffer.from(comment.commitOid, "hex");
      await insertLineComment(
        tx,
        { ...entry, ...writtenBy(comment.author), body, pending: false, createdAt: comment.at },
        {
          path,
          side,
          line,
          extraLines: 0,
          originalLine: line,
          originalExtraLines: 0,
          diffHunk,
          commitOid: at,
          originalCommitOid: comment.originalOid === null ? at : Buffer.from(comment.originalOid, "hex"),
          replyTo: null,
          invalidated: comment.outdated,
        },
      );
    }
    count += comments.length;
  }
  await addReviewComments(tx, issueId, count);
}

function writtenBy({ authorId, originalAuthor, originalAuthorId }: BroughtAuthor): BroughtAuthor {
  return { authorId, originalAuthor, originalAuthorId };
}
