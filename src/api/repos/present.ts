import type { Static } from "elysia";
import type { Repository } from "./schema.ts";
import type { Actor, RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import { writeInterval } from "../../domain/exchange/mirrors/interval.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { RepositoryWithParent } from "../../domain/repos/forks/with-parent.ts";
import { never, presentInstant, zeroOfGo } from "../common/instants.ts";
import { presentOwner } from "../users/present.ts";
import type { PresentedTransfer } from "./present-transfers.ts";

/** The permissions that this access gives. Reading and pushing go through the code unit. */
function permissionsOf({ mode, units }: RepositoryAccess) {
  return {
    admin: mode >= accessModes.admin,
    push: units.code >= accessModes.write,
    pull: units.code >= accessModes.read,
  };
}

/** The tracker and the wiki, each either the server's own or an outside one, where the unit is on. */
function presentTrackers(row: RepositoryRow) {
  return {
    ...(row.hasIssues && row.externalTrackerUrl === null
      ? {
          internal_tracker: {
            enable_time_tracker: row.enableTimeTracker,
            allow_only_contributors_to_track_time: row.allowOnlyContributorsToTrackTime,
            enable_issue_dependencies: row.enableIssueDependencies,
          },
        }
      : {}),
    ...(row.hasIssues && row.externalTrackerUrl !== null
      ? {
          external_tracker: {
            external_tracker_url: row.externalTrackerUrl,
            external_tracker_format: row.externalTrackerFormat ?? "",
            external_tracker_style: row.externalTrackerStyle ?? "",
            external_tracker_regexp_pattern: row.externalTrackerPattern ?? "",
          },
        }
      : {}),
    ...(row.hasWiki && row.externalWikiUrl !== null
      ? { external_wiki: { external_wiki_url: row.externalWikiUrl } }
      : {}),
  };
}

/** How pull requests are merged; nothing is allowed where there are none. */
function presentMerging(row: RepositoryRow) {
  const on = row.hasPullRequests;
  return {
    ignore_whitespace_conflicts: on && row.ignoreWhitespaceConflicts,
    allow_merge_commits: on && row.allowMergeCommits,
    allow_rebase: on && row.allowRebase,
    allow_rebase_explicit: on && row.allowRebaseExplicit,
    allow_squash_merge: on && row.allowSquashMerge,
    allow_fast_forward_only_merge: on && row.allowFastForwardOnlyMerge,
    allow_rebase_update: on && row.allowRebaseUpdate,
    default_delete_branch_after_merge: on && row.defaultDeleteBranchAfterMerge,
    default_merge_style: on ? row.defaultMergeStyle : "merge",
    default_update_style: on ? row.defaultUpdateStyle : "merge",
    default_allow_maintainer_edit: on && row.defaultAllowMaintainerEdit,
  };
}

/** Fields of a Repository beyond the rows that every request reads. */
export interface Beyond {
  transfer: PresentedTransfer | null;
  /** The source of a mirror; null if it is none. */
  mirror: { address: string; intervalSeconds: number; syncedAt: Date | null } | null;
}

const nothingBeyond: Beyond = { transfer: null, mirror: null };

/** A repository as the family's Repository, as the caller with this access sees it. Its parent is shown without its own. */
export function presentRepository(
  addresses: Addresses,
  access: RepositoryWithParent,
  viewer: Actor | null,
  beyond: Beyond = nothingBeyond,
): Static<typeof Repository> {
  const { parent } = access;
  return {
    ...presentAlone(addresses, access, viewer, beyond),
    parent: parent === null ? null : { ...presentAlone(addresses, parent, viewer, nothingBeyond), parent: null },
  };
}

function presentAlone(
  addresses: Addresses,
  access: RepositoryAccess,
  viewer: Actor | null,
  { transfer, mirror }: Beyond,
): Omit<Static<typeof Repository>, "parent"> {
  const { repository: row, owner, counts } = access;
  return {
    id: row.id,
    owner: presentOwner(addresses, owner, viewer),
    name: row.name,
    full_name: `${owner.name}/${row.name}`,
    description: row.description,
    empty: row.empty,
    private: row.private,
    fork: row.forkOf !== null,
    template: row.template,
    mirror: row.mirror,
    size: Math.ceil((counts.gitBytes + counts.lfsBytes) / 1024),
    language: counts.language,
    languages_url: addresses.repositoryApi(owner.name, row.name, "/languages"),
    html_url: addresses.repository(owner.name, row.name),
    url: addresses.repositoryApi(owner.name, row.name),
    link: "",
    ssh_url: addresses.sshClone(owner.name, row.name),
    clone_url: addresses.clone(owner.name, row.name),
    original_url: mirror?.address ?? row.originalUrl ?? "",
    website: row.website,
    stars_count: counts.stars,
    forks_count: counts.forks,
    watchers_count: counts.watchers,
    open_issues_count: row.hasIssues ? counts.openIssues : 0,
    open_pr_counter: row.hasPullRequests ? counts.openPulls : 0,
    release_counter: access.units.releases >= accessModes.read ? counts.releases : 0,
    default_branch: row.defaultBranch,
    archived: row.archivedAt !== null,
    archived_at: presentInstant(row.archivedAt) ?? never,
    created_at: presentInstant(row.createdAt),
    updated_at: presentInstant(row.updatedAt),
    permissions: permissionsOf(access),
    has_code: row.hasCode,
    has_issues: row.hasIssues,
    has_wiki: row.hasWiki,
    ...presentTrackers(row),
    globally_editable_wiki: row.hasWiki && row.globallyEditableWiki,
    wiki_branch: row.wikiBranch,
    has_pull_requests: row.hasPullRequests,
    has_projects: row.hasProjects,
    has_releases: row.hasReleases,
    has_packages: row.hasPackages,
    has_actions: row.hasActions,
    ...presentMerging(row),
    avatar_url: row.avatarSha256 === null ? "" : addresses.repositoryApi(owner.name, row.name, "/avatar"),
    internal: !row.private && owner.visibility === "private",
    mirror_interval: mirror === null ? "" : writeInterval(mirror.intervalSeconds),
    mirror_updated: presentInstant(mirror?.syncedAt ?? new Date(zeroOfGo)),
    object_format_name: row.objectFormat,
    repo_transfer: transfer,
    topics: row.topics,
  };
}
