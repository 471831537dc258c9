import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { ListedFile } from "../../git/operations/list-diffed.ts";
import { findPull } from "../../domain/work/pulls/queries.ts";
import type { PullRange } from "../../domain/work/pulls/range.ts";
import { findPendingReview, type ReviewedPull, type ReviewRow } from "../../domain/work/reviews/queries.ts";
import { listViewed } from "../../domain/work/reviews/viewed-queries.ts";
import { pathOf } from "../code/diff-file.ts";
import { readDiff, type Diff } from "../code/read-diff.ts";
import type { LoadedPull } from "../pulls/load-pull.ts";
import { reviewedHead } from "../pulls/reviewers.ts";
import type { Visit } from "../visit.ts";
import { fileKey, type On } from "./on.ts";
import { hasSuggestion, reviewRights, type ReviewRights } from "./rights.ts";
import { listSeenCommits, type Seen } from "./seen.ts";
import { loadThreads, showThreads, type ShownThread, type Thread } from "./threads.ts";

/** All that the page of the files of a pull request shows. */
export interface LoadedReview {
  readonly seen: Seen;
  readonly diff: Diff;
  readonly files: readonly ListedFile[];
  readonly commits: readonly CommitRecord[];
  /** The blobs that the visitor has looked at, by their paths; null: nobody is signed in. */
  readonly viewed: ReadonlyMap<string, string> | null;
  readonly threads: readonly Thread[];
  /** Those of the files that are shown, and those whose files the diff has not any more. */
  readonly shown: readonly ShownThread[];
  readonly pending: { readonly review: ReviewRow; readonly comments: number } | null;
  /** Whether the visitor has reviewed another head than this one. */
  readonly hasReviewed: boolean;
  readonly rights: ReviewRights;
}

/** The line of a form that is open has to be shown, wherever it is. */
function linesOf(on: On | null, files: readonly ListedFile[]) {
  const file = on?.kind === "lines" ? files.find(({ path }) => fileKey(path) === on.file) : undefined;
  if (on?.kind !== "lines" || file === undefined) {
    return [];
  }
  const path = on.side === "old" ? (file.formerPath ?? file.path) : file.path;
  return [{ path, side: on.side, line: on.line, extraLines: Math.max(0, on.line - on.from) }];
}

export async function loadReview(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  {
    pulled,
    loaded,
    range,
    seen,
    on,
  }: {
    pulled: ReviewedPull;
    loaded: LoadedPull;
    range: PullRange;
    seen: Seen;
    on: On | null;
  },
): Promise<LoadedReview> {
  const { db } = forge.database;
  const { signal } = visit.request;
  const { view, before, after } = seen;
  const pullId = pulled.issue.id;
  const userId = visit.actor?.id ?? null;
  const [threads, files, commits, viewed, review] = await Promise.all([
    loadThreads(forge, visit, pullId, seen),
    forge.git.engine.call(view, "listDiffed", { before, after }, signal),
    listSeenCommits(forge, range, signal),
    userId === null ? null : listViewed(db, pullId, userId),
    userId === null ? null : findPendingReview(db, pullId, userId),
  ]);
  const wanted = threads.flatMap(
    ({
      comments: [
        {
          place: { side },
        },
      ],
      place,
    }) => (place === null ? [] : [{ ...place, side }]),
  );
  const diff = await readDiff(
    forge,
    visit,
    {
      view,
      before: before === null ? null : { access, commit: before },
      after: { access, commit: after },
    },
    [...wanted, ...linesOf(on, files)],
  );
  const here = new Set(diff.files.map(({ file }) => pathOf(file)));
  const all = new Set(files.flatMap(({ path, formerPath }) => [path, formerPath]));
  const isAsked = ({ comments }: Thread) =>
    on !== null && on.kind !== "lines" && comments.some(({ comment }) => comment.id === on.id);
  const onPage = threads.filter((thread) => {
    const path = pathIn(thread, files);
    return here.has(path) || !all.has(path) || isAsked(thread);
  });
  const found = await findPull(db, access.repository.id, pulled.issue.number);
  const [shown, rights] = await Promise.all([
    showThreads(forge, visit, access, onPage),
    found === null
      ? Promise.reject(new Error("A pull request was gone while its page was made"))
      : reviewRights(forge, visit, access, found, onPage.some(hasSuggestion)),
  ]);
  const reviewed = reviewedHead(loaded, userId);
  const comments = threads.reduce(
    (sum, thread) => sum + thread.comments.filter(({ comment }) => comment.pending).length,
    0,
  );
  const pending = review === null ? null : { review, comments };
  return {
    seen,
    diff,
    files,
    commits,
    viewed,
    threads,
    shown,
    pending,
    hasReviewed: reviewed !== null && reviewed !== seen.head,
    rights,
  };
}

/** The path of the file of a diff that a conversation stands in: a renamed file has two. */
export function pathIn({ comments: [first], place }: Pick<Thread, "comments" | "place">, files: readonly ListedFile[]) {
  const path = place?.path ?? first.place.path;
  const isThere = files.some((file) => file.path === path && file.formerPath === null);
  return first.place.side === "new" || isThere
    ? path
    : (files.find(({ formerPath }) => formerPath === path)?.path ?? path);
}
