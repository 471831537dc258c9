import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { completeLineComments, type LineComment } from "../../domain/work/reviews/comment-queries.ts";
import type { LineInput } from "../../domain/work/reviews/place-comments.ts";
import {
  completeReviews,
  findReview,
  findReviewedPull,
  type ReviewedPull,
  type ReviewRow,
} from "../../domain/work/reviews/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { presentLineComment, presentReview } from "./present.ts";

/** Returns a pull request by its number. Throws NotFound. */
export async function getReviewedPull(
  { database }: Forge,
  { repository }: RepositoryAccess,
  number: number,
): Promise<ReviewedPull> {
  const found = await findReviewedPull(database.db, repository.id, number);
  if (found === null) {
    throw new NotFound("pull request", String(number));
  }
  return found;
}

/** Returns a review of a pull request that the viewer may know of. Throws NotFound. */
export async function getReviewRow(forge: Forge, viewer: Viewer, { pull }: ReviewedPull, id: number) {
  const row = await findReview(forge.database.db, pull.issueId, id, viewer.actor?.id ?? null);
  if (row === null) {
    throw new NotFound("review", String(id));
  }
  return row;
}

/** Presents reviews of one pull request, with a constant number of queries. */
export async function presentReviews(
  { database, addresses }: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  pulled: ReviewedPull,
  rows: readonly ReviewRow[],
) {
  const found = await completeReviews(database.db, viewer, rows, access.mode >= accessModes.admin);
  return found.map((one) => presentReview(addresses, access, pulled, one, viewer.actor));
}

/** Presents comments on lines of one pull request, with a constant number of queries. */
export async function presentLineComments(
  { database, addresses }: Forge,
  viewer: Viewer,
  access: RepositoryAccess,
  pulled: ReviewedPull,
  rows: readonly LineComment[],
) {
  const found = await completeLineComments(database.db, viewer, rows);
  return found.map((one) => presentLineComment(addresses, access, pulled, one, viewer.actor));
}

/** The one of a list of one. */
export function only<Item>(list: readonly Item[]): Item {
  const [one] = list;
  if (one === undefined) {
    throw new Error("One thing was presented as none");
  }
  return one;
}

interface LineBody {
  body?: string;
  path?: string;
  new_position?: number;
  old_position?: number;
}

/** The comment on a line that somebody sent. Throws InvalidInput that names the field. */
export function readLine({ body = "", path = "", new_position: now = 0, old_position: old = 0 }: LineBody): LineInput {
  if (path === "") {
    throw new InvalidInput("path: a comment on a line names the file", "path");
  }
  if (old < 0 || (old === 0 && now < 1)) {
    const field = old < 0 ? "old_position" : "new_position";
    throw new InvalidInput(
      `${field}: a comment on a line names the line, from 1, in new_position or old_position`,
      field,
    );
  }
  return { path, body, extraLines: 0, ...(old > 0 ? { side: "old", line: old } : { side: "new", line: now }) };
}
