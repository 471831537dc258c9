import { t } from "elysia";
import { objectFormats } from "../../db/schema/repositories.ts";
import { dateTime, integer, nullable, oneOf } from "../common/schema.ts";
import { Team } from "../teams/schema.ts";
import { User } from "../users/schema.ts";

const Permission = t.Object(
  { admin: t.Boolean(), push: t.Boolean(), pull: t.Boolean() },
  { $id: "Permission", description: "What the caller may do with a repository" },
);

export const InternalTracker = t.Object(
  {
    enable_time_tracker: t.Optional(t.Boolean()),
    allow_only_contributors_to_track_time: t.Optional(t.Boolean()),
    enable_issue_dependencies: t.Optional(t.Boolean()),
  },
  { $id: "InternalTracker" },
);

export const ExternalTracker = t.Object(
  {
    external_tracker_url: t.Optional(t.String({ maxLength: 2048, description: "Address of the tracker" })),
    external_tracker_format: t.Optional(
      t.String({ maxLength: 2048, description: "Address of an issue, with {user}, {repo} and {index} in it" }),
    ),
    external_tracker_style: t.Optional(
      t.String({ description: "How issues are named: numeric, alphanumeric or regexp; empty: numeric" }),
    ),
    external_tracker_regexp_pattern: t.Optional(
      t.String({ maxLength: 512, description: "For the style regexp: how the name of an issue is found" }),
    ),
  },
  { $id: "ExternalTracker" },
);

export const ExternalWiki = t.Object(
  { external_wiki_url: t.Optional(t.String({ maxLength: 2048, description: "Address of the wiki" })) },
  { $id: "ExternalWiki" },
);

const RepoTransfer = t.Object(
  { doer: nullable(User), recipient: nullable(User), teams: t.Array(Team) },
  { $id: "RepoTransfer" },
);

export const Repository = t.Object(
  {
    id: integer(),
    owner: nullable(User),
    name: t.String(),
    full_name: t.String({ description: "owner/name" }),
    description: t.String(),
    empty: t.Boolean({ description: "There is no branch yet" }),
    private: t.Boolean(),
    fork: t.Boolean(),
    template: t.Boolean(),
    parent: nullable(t.Unsafe<object>({ $ref: "Repository" })),
    mirror: t.Boolean(),
    size: integer({ description: "Size of the git data in KiB" }),
    language: t.String({ description: "What most of its code is written in; empty until that is counted" }),
    languages_url: t.String(),
    html_url: t.String(),
    url: t.String(),
    link: t.String(),
    ssh_url: t.String({ description: "Empty where the server offers no SSH" }),
    clone_url: t.String(),
    original_url: t.String(),
    website: t.String(),
    stars_count: integer(),
    forks_count: integer(),
    watchers_count: integer(),
    open_issues_count: integer(),
    open_pr_counter: integer(),
    release_counter: integer(),
    default_branch: t.String(),
    archived: t.Boolean(),
    archived_at: dateTime("1970-01-01T00:00:00Z when it is not archived"),
    created_at: dateTime(),
    updated_at: dateTime(),
    permissions: t.Optional(Permission),
    has_code: t.Boolean(),
    has_issues: t.Boolean(),
    internal_tracker: t.Optional(InternalTracker),
    external_tracker: t.Optional(ExternalTracker),
    has_wiki: t.Boolean(),
    external_wiki: t.Optional(ExternalWiki),
    globally_editable_wiki: t.Boolean(),
    wiki_branch: t.Optional(t.String()),
    has_pull_requests: t.Boolean(),
    has_projects: t.Boolean(),
    has_releases: t.Boolean(),
    has_packages: t.Boolean(),
    has_actions: t.Boolean(),
    ignore_whitespace_conflicts: t.Boolean(),
    allow_merge_commits: t.Boolean(),
    allow_rebase: t.Boolean(),
    allow_rebase_explicit: t.Boolean(),
    allow_squash_merge: t.Boolean(),
    allow_fast_forward_only_merge: t.Boolean(),
    allow_rebase_update: t.Boolean(),
    default_delete_branch_after_merge: t.Boolean(),
    default_merge_style: t.String(),
    default_update_style: t.String(),
    default_allow_maintainer_edit: t.Boolean(),
    avatar_url: t.String({
      description: "Its uploaded picture, for whoever may see the repository; empty: there is none",
    }),
    internal: t.Boolean({ description: "Not private, but its owner is: seen by those who see the owner" }),
    mirror_interval: t.String(),
    mirror_updated: dateTime("When the mirror was synchronized last; 0001-01-01T00:00:00Z if it never was, or is none"),
    object_format_name: oneOf(objectFormats),
    repo_transfer: nullable(RepoTransfer),
    topics: t.Array(t.String()),
  },
  { $id: "Repository" },
);

export const SearchResults = t.Object({ ok: t.Boolean(), data: t.Array(Repository) }, { $id: "SearchResults" });
