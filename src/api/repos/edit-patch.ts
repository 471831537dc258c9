import type { Static } from "elysia";
import type { RepositoryPatch } from "../../domain/repos/edit-repository.ts";
import { readInterval } from "../../domain/exchange/mirrors/interval.ts";
import { checkWebsite, outsideTracker, outsideWiki, ownTracker } from "../../domain/repos/outside-addresses.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { EditRepoOption } from "./options.ts";

type Body = Static<typeof EditRepoOption>;

function readTracker({
  has_issues: enabled,
  internal_tracker: internal,
  external_tracker: external,
}: Body): RepositoryPatch {
  if (internal !== undefined && external !== undefined) {
    throw new InvalidInput("internal_tracker and external_tracker cannot both be set", "external_tracker");
  }
  if (external === undefined) {
    const own = internal !== undefined || enabled === true;
    return {
      ...(own ? ownTracker : {}),
      ...(internal?.enable_time_tracker === undefined ? {} : { enableTimeTracker: internal.enable_time_tracker }),
      ...(internal?.allow_only_contributors_to_track_time === undefined
        ? {}
        : { allowOnlyContributorsToTrackTime: internal.allow_only_contributors_to_track_time }),
      ...(internal?.enable_issue_dependencies === undefined
        ? {}
        : { enableIssueDependencies: internal.enable_issue_dependencies }),
    };
  }
  const {
    external_tracker_url: url = "",
    external_tracker_format: format = "",
    external_tracker_style: style = "",
    external_tracker_regexp_pattern: pattern = "",
  } = external;
  return outsideTracker({ url, format, style, pattern });
}

function readWiki({ has_wiki: enabled, external_wiki: external }: Body): RepositoryPatch {
  if (external === undefined) {
    return enabled === true ? { externalWikiUrl: null } : {};
  }
  const { external_wiki_url: url = "" } = external;
  return outsideWiki(url);
}

/**
 * Reads the fields of a mirror from a body; null if it has none. Throws InvalidInput if the repository is not a mirror.
 */
export function readMirrorPatch(
  { mirror_interval: interval, enable_prune: prune }: Body,
  isMirror: boolean,
  least: number,
): { intervalSeconds?: number; prune?: boolean } | null {
  if (!isMirror && interval !== undefined && interval !== "" && !/^0[a-z]*$/.test(interval)) {
    throw new InvalidInput("The repository is not a mirror and has no interval", "mirror_interval");
  }
  if (!isMirror && prune === true) {
    throw new InvalidInput("The repository is not a mirror and has nothing to prune", "enable_prune");
  }
  const patch = {
    ...(interval === undefined || interval === ""
      ? {}
      : { intervalSeconds: readInterval(interval, "mirror_interval", least) }),
    ...(prune === undefined ? {} : { prune }),
  };
  return isMirror && Object.keys(patch).length > 0 ? patch : null;
}

/** The one patch that a body asks for. Throws InvalidInput naming the field. */
export function readPatch(body: Body): RepositoryPatch {
  checkWebsite(body.website ?? "");
  const fields = {
    name: body.name || undefined,
    description: body.description,
    website: body.website,
    private: body.private,
    template: body.template,
    archived: body.archived,
    defaultBranch: body.default_branch || undefined,
    hasCode: body.has_code,
    hasIssues: body.has_issues,
    hasWiki: body.has_wiki,
    globallyEditableWiki: body.globally_editable_wiki,
    wikiBranch: body.wiki_branch || undefined,
    hasPullRequests: body.has_pull_requests,
    hasProjects: body.has_projects,
    hasReleases: body.has_releases,
    hasPackages: body.has_packages,
    hasActions: body.has_actions,
    ignoreWhitespaceConflicts: body.ignore_whitespace_conflicts,
    allowMergeCommits: body.allow_merge_commits,
    allowRebase: body.allow_rebase,
    allowRebaseExplicit: body.allow_rebase_explicit,
    allowSquashMerge: body.allow_squash_merge,
    allowFastForwardOnlyMerge: body.allow_fast_forward_only_merge,
    allowManualMerge: body.allow_manual_merge,
    autodetectManualMerge: body.autodetect_manual_merge,
    allowRebaseUpdate: body.allow_rebase_update,
    defaultDeleteBranchAfterMerge: body.default_delete_branch_after_merge,
    defaultMergeStyle: body.default_merge_style,
    defaultUpdateStyle: body.default_update_style,
    defaultAllowMaintainerEdit: body.default_allow_maintainer_edit,
  };
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as RepositoryPatch;
  return { ...sent, ...readTracker(body), ...readWiki(body) };
}
