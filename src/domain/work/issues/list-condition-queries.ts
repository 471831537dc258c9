import { sql, type SQL } from "drizzle-orm";
import { discussionVisibleSql, type ViewerSql } from "../../../auth/access-sql.ts";
import type { CredentialLimits } from "../../../auth/viewer-of.ts";
import type { IssueFilter, IssueOrderName } from "./list-filter.ts";

type Condition = "withoutLabels" | "hasNoLabel" | "hasNoMilestone" | "hasNoAssignee" | "since" | "before";
type Narrowing = Exclude<keyof IssueFilter, Condition | "kinds" | "states">;

/** Which list, without the values of its conditions: all lists of one shape are one statement. */
export interface IssueListShape {
  kinds: readonly boolean[];
  states: readonly boolean[];
  order: IssueOrderName;
  /** Conditions that leave few issues of all, or that no order has an index for: their matches are found first, and sorted. */
  narrowed: readonly Narrowing[];
  /** Conditions beside those, and beside the kind and the state. */
  conditions: readonly Condition[];
  /** Whether it is the issues of one label: an index has them in the order of their creation. */
  ofLabel: boolean;
  /** Whether the branch that a pull request is from is one of a certain owner's. */
  headOfOwner: boolean;
  /** null: in one repository. Else everywhere, as far as the viewer may see. */
  everywhere: { credential: CredentialLimits; owner: boolean; ofViewer: boolean; team: boolean; first: boolean } | null;
}

export const value = (name: string, type = "bigint"): SQL => sql`${sql.placeholder(name)}::${sql.raw(type)}`;
export const and = (conditions: readonly SQL[]) =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);

const namedLabel = (names: "labels" | "withoutLabels"): SQL =>
  sql`(lower(label.name) = any(${value(names, "text[]")}) or label.id = any(${value(`${names}AsIds`, "bigint[]")}))`;

/** A query of the ids of those of these labels that the issues of a repository may have. */
export const labelsHere = (names: "labels" | "withoutLabels"): SQL =>
  sql`select label.id from label
    where (label.repository_id = ${value("repositoryId")} or label.owner_id = ${value("placeOwnerId")}) and ${namedLabel(names)}`;

/** Ids of the issues that have one of these labels. */
function labelled({ everywhere }: IssueListShape, names: "labels" | "withoutLabels"): SQL {
  if (everywhere !== null) {
    return sql`exists (select 1 from issue_label join label on label.id = issue_label.label_id
      where issue_label.issue_id = issue.id and ${namedLabel(names)})`;
  }
  // The labels first, by themselves: joined, the planner walks those of all repositories in the order of their ids.
  return sql`issue.id in (select issue_label.issue_id from issue_label
    where issue_label.label_id = any(array(${labelsHere(names)})))`;
}

function inMilestone({ everywhere }: IssueListShape): SQL {
  const named = sql`(lower(milestone.title) = any(${value("milestones", "text[]")}) or milestone.id = any(${value("milestonesAsIds", "bigint[]")}))`;
  return everywhere !== null
    ? sql`exists (select 1 from milestone where milestone.id = issue.milestone_id and ${named})`
    : sql`issue.milestone_id in (select milestone.id from milestone where milestone.repository_id = ${value("repositoryId")} and ${named})`;
}

/** The issues of a query, found first and by themselves: joined, the planner reads all issues of a large repository to meet a few. */
const ofThese = (ids: SQL): SQL => sql`issue.id = any(array(${ids}))`;

/** The words that are searched for, each or what begins with it. A subquery is worked out once, and not for each row. */
export const textQuery = sql`(select prefix_query(${value("text", "text")}))`;

/** Has all words in title and text, or in one comment: `query` finds the comments. The condition on them is that of their index. */
const matches = (
  query: SQL,
): SQL => sql`(issue.words @@ ${textQuery} or issue.id = any(array(select comment.issue_id from comment
  where comment.kind in ('comment', 'code', 'review') and not comment.pending and comment.body <> ''
    and comment_words(comment.repository_id, comment.body) @@ ${query})))`;

/** Whatever the repository is. */
export const matchesText = matches(textQuery);
const matchesTextHere = matches(sql`(select prefix_query(${value("text", "text")}, ${value("repositoryId")}))`);

export const narrowings: Readonly<Record<Narrowing, (shape: IssueListShape) => SQL>> = {
  text: ({ everywhere }) => (everywhere === null ? matchesTextHere : matchesText),
  /** Everywhere. In a repository they are `labelIds` or `labelSets`. */
  labels: (shape) => labelled(shape, "labels"),
  milestones: inMilestone,
  authorId: () => sql`issue.author_id = ${value("authorId")}`,
  assigneeId: () => ofThese(sql`select issue_id from issue_assignee where user_id = ${value("assigneeId")}`),
  labelIds: () =>
    sql`issue.id in (select issue_id from issue_label where label_id = any(${value("labelIds", "bigint[]")}))`,
  labelSets: () =>
    ofThese(sql`select issue_label.issue_id
      from unnest(${value("idsOfSets", "bigint[]")}, ${value("setsOfIds", "integer[]")}) as wanted (label_id, set)
      join issue_label on issue_label.label_id = wanted.label_id
      group by issue_label.issue_id having count(distinct wanted.set) = ${value("setCount", "integer")}`),
  milestoneId: () => sql`issue.milestone_id = ${value("milestoneId")}`,
  base: () =>
    sql`exists (select 1 from pull where pull.issue_id = issue.id and pull.base_branch = ${value("base", "text")})`,
  head: ({ headOfOwner }) =>
    sql`exists (select 1 from pull join repository head on head.id = pull.head_repository_id
      where pull.issue_id = issue.id and pull.head_branch = ${value("headBranch", "text")}
        ${headOfOwner ? sql`and head.owner_id = ${value("headOwnerId")}` : sql``})`,
  reviewRequestedId: () =>
    ofThese(sql`select pull_id from review where kind = 'request' and reviewer_id = ${value("reviewRequestedId")}
      union all select review.pull_id from review join team_member on team_member.team_id = review.team_id
        where review.kind = 'request' and team_member.user_id = ${value("reviewRequestedId")}`),
  reviewedById: () =>
    ofThese(sql`select pull_id from review
      where kind in ('comment', 'approve', 'request-changes') and reviewer_id = ${value("reviewedById")}`),
  mentionedId: () => ofThese(sql`select issue_id from issue_mention where user_id = ${value("mentionedId")}`),
  subscriberId: () =>
    ofThese(sql`select issue_id from issue_subscription where user_id = ${value("subscriberId")} and watching`),
  muterId: () =>
    ofThese(sql`select issue_id from issue_subscription where user_id = ${value("muterId")} and not watching`),
};

export const conditions: Readonly<Record<Condition, (shape: IssueListShape) => SQL>> = {
  withoutLabels: (shape) => sql`not ${labelled(shape, "withoutLabels")}`,
  hasNoLabel: () => sql`not exists (select 1 from issue_label where issue_label.issue_id = issue.id)`,
  hasNoMilestone: () => sql`issue.milestone_id is null`,
  hasNoAssignee: () => sql`not exists (select 1 from issue_assignee where issue_assignee.issue_id = issue.id)`,
  since: () => sql`issue.updated_at >= ${value("since", "timestamptz")}`,
  before: () => sql`issue.updated_at < ${value("before", "timestamptz")}`,
};

export const conditionsOf = (shape: IssueListShape): SQL[] => shape.conditions.map((name) => conditions[name](shape));

/** A query of the ids of the repositories that the viewer owns, or was given as a collaborator or by a team. Not all of them are visible. */
export function homesOfViewer(viewer: Pick<ViewerSql, "id">): SQL {
  return sql`select own.id from repository own where own.owner_id = ${viewer.id}
      union select collaborator.repository_id from collaborator where collaborator.user_id = ${viewer.id}
      union select team_repository.repository_id from team_member join team_repository on team_repository.team_id = team_member.team_id
        where team_member.user_id = ${viewer.id}
      union select own.id from team_member join team mine on mine.id = team_member.team_id
        join repository own on own.owner_id = mine.organization_id
        where team_member.user_id = ${viewer.id} and (mine.mode = 4 or mine.includes_all_repositories)`;
}

/** A query of the ids of the repositories that a place everywhere is limited to, visible or not; null: it is not. */
export function homesSql(
  viewer: ViewerSql,
  { owner: ofOwner, ofViewer }: Pick<Exclude<IssueListShape["everywhere"], null>, "owner" | "ofViewer">,
): SQL | null {
  if (ofViewer) {
    return homesOfViewer(viewer);
  }
  return ofOwner ? sql`select own.id from repository own where own.owner_id = ${value("placeOwnerId")}` : null;
}

/** Whether the viewer may see issues, or pull requests where `isPull`, in `repository` of `owner`, and the place is there. */
export function visible(
  viewer: ViewerSql,
  { owner: ofOwner, ofViewer, team }: Exclude<IssueListShape["everywhere"], null>,
  isPull: SQL,
): SQL {
  const insider = sql`(${viewer.isAdmin} or exists (select 1 from team_member join team mine on mine.id = team_member.team_id
    where team_member.user_id = ${viewer.id} and mine.organization_id = team.organization_id))`;
  return and([
    discussionVisibleSql(viewer, isPull),
    ...(ofViewer ? [sql`repository.id = any(array(${homesOfViewer(viewer)}))`] : []),
    ...(ofOwner ? [sql`repository.owner_id = ${value("placeOwnerId")}`] : []),
    ...(team
      ? [
          sql`exists (select 1 from team where team.organization_id = repository.owner_id and team.lower_name = ${value("team", "text")} and ${insider}
            and (team.mode = 4 or team.includes_all_repositories or exists (select 1 from team_repository
              where team_repository.team_id = team.id and team_repository.repository_id = repository.id)))`,
        ]
      : []),
  ]);
}
