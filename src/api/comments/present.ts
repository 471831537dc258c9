import type { Actor, OwnerRow, RepositoryAccess } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/addresses.ts";
import type { CommentedIssue, CommentRow } from "../../domain/comments/queries.ts";
import { presentOwner } from "../users/present.ts";

/** Where an entry of a timeline is shown: `html_url`, `issue_url` and `pull_request_url`. */
export function presentPlaces(
  addresses: Addresses,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
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
  access: Pick<RepositoryAccess, "repository" | "owner">,
  { comment, issue, author }: { comment: CommentRow; issue: CommentedIssue; author: OwnerRow | null },
  viewer: Actor | null,
) {
  return {
    assets: [],
    body: comment.body,
    created_at: comment.createdAt.toISOString(),
    ...presentPlaces(addresses, access, issue, comment.id),
    id: comment.id,
    original_author: "",
    original_author_id: 0,
    updated_at: comment.updatedAt.toISOString(),
    user: author === null ? null : presentOwner(addresses, author, viewer),
  };
}
