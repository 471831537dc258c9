import { Type } from "typebox";
import { choice } from "../lib/schema.ts";

const about = [
  "opened",
  "commented",
  "closed",
  "reopened",
  "merged",
  "assigned",
  "mentioned",
  "reviewed",
  "review-requested",
] as const;

/** The news that a mail about an issue or a pull request brings, as fields of a payload. */
export const issueNews = {
  about: choice(about),
  issueId: Type.Integer(),
  /** null: it is about the issue itself. */
  commentId: Type.Union([Type.Integer(), Type.Null()]),
  /** null: it is no review. */
  reviewId: Type.Union([Type.Integer(), Type.Null()]),
  /** The team that is asked; null: not a team is. */
  teamId: Type.Union([Type.Integer(), Type.Null()]),
  /** null: somebody who is gone. */
  doerId: Type.Union([Type.Integer(), Type.Null()]),
  /** When it happened, milliseconds since 1970. */
  at: Type.Integer(),
};
