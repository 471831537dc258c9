import type { Static } from "elysia";
import type { Comment } from "./schema.ts";
import type { Actor, OwnerRow } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { CommentedIssue, CommentRow } from "../../domain/work/comments/queries.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { presentIssueFile } from "../attachments/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

/** The repository that comments are in. */
export interface Home {
  repository: { name: string };
  owner: { name: string };
}

/** A comment with all that is shown of it. */
interface ShownComment {
  comment: CommentRow;
  issue: CommentedIssue;
  author: OwnerRow | null;
  assets: readonly AttachmentRow[];
}

/** Where an entry of a timeline is shown: `html_url`, `issue_url` and `pull_request_url`. */
export function presentPlaces(
  addresses: Addresses,
  { repository, owner }: Home,
  issue: Pick<CommentedIssue, "number" | "isPull">,
  id: number,
) {
  const page = addresses.discussion(owner.name, repository.name, issue);
  return {
    html_url: `${page}#issuecomment-${id}`,
    issue_url: issue.isPull ? "" : page,
    pull_request_url: issue.isPull ? page : "",
  };
}

/** A comment as the family's Comment. `author` is null when they are gone, or unknown to the viewer. */
export function presentComment(
  addresses: Addresses,
  home: Home,
  { comment, issue, author, assets }: ShownComment,
  viewer: Actor | null,
): Static<typeof Comment> {
  return {
    assets: assets.map((row) => presentIssueFile(addresses, home, issue.number, row)),
    body: comment.body,
    created_at: presentInstant(comment.createdAt),
    ...presentPlaces(addresses, home, issue, comment.id),
    id: comment.id,
    original_author: comment.originalAuthor,
    original_author_id: comment.originalAuthorId,
    updated_at: presentInstant(comment.updatedAt),
    user: author === null ? null : presentOwner(addresses, author, viewer),
  };
}
