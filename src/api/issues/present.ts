import type { Static } from "elysia";
import type { Issue } from "./schema.ts";
import type { Actor, OwnerRow, RepositoryRow } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundIssue } from "../../domain/work/issues/queries.ts";
import { isDraftTitle } from "../../domain/work/pulls/draft.ts";
import { presentIssueFile } from "../attachments/present.ts";
import { presentLabel } from "../labels/present.ts";
import { presentMilestone } from "../milestones/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";

/** The repository of an issue. */
interface Home {
  repository: Pick<RepositoryRow, "id" | "name">;
  owner: Pick<OwnerRow, "id" | "name">;
}

/** An issue or a pull request as the family's Issue, as the viewer sees it. */
export function presentIssue(
  { addresses, config }: Pick<Forge, "addresses" | "config">,
  home: Home,
  { issue, author, milestone, labels, assignees, assets, pull }: FoundIssue,
  viewer: Actor | null,
): Static<typeof Issue> {
  const { repository, owner } = home;
  const page = addresses.discussion(owner.name, repository.name, issue);
  const users = assignees.map((row) => presentOwner(addresses, row, viewer));
  return {
    assets: assets.map((row) => presentIssueFile(addresses, home, issue.number, row)),
    assignee: users[0] ?? null,
    assignees: users.length === 0 ? null : users,
    body: issue.body,
    closed_at: presentInstant(issue.closedAt),
    comments: issue.comments,
    created_at: presentInstant(issue.createdAt),
    due_date: presentInstant(issue.dueAt),
    html_url: page,
    id: issue.id,
    is_locked: issue.lockedAt !== null,
    labels: labels.map((row) => presentLabel(addresses, home, row)),
    milestone: milestone === null ? null : presentMilestone(milestone),
    number: issue.number,
    original_author: issue.originalAuthor,
    original_author_id: issue.originalAuthorId,
    pin_order: issue.pinOrder ?? 0,
    pull_request:
      pull === null
        ? null
        : {
            draft: isDraftTitle(issue.title, config.pulls.draft_prefixes),
            html_url: page,
            merged: pull.mergedAt !== null,
            merged_at: presentInstant(pull.mergedAt),
          },
    ref: issue.ref,
    repository: {
      id: repository.id,
      name: repository.name,
      owner: owner.name,
      full_name: `${owner.name}/${repository.name}`,
    },
    state: issue.closedAt === null ? ("open" as const) : ("closed" as const),
    title: issue.title,
    updated_at: presentInstant(issue.updatedAt),
    url: addresses.repositoryApi(owner.name, repository.name, `/issues/${issue.number}`),
    user: author === null ? null : presentOwner(addresses, author, viewer),
  };
}
