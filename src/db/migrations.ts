import first from "../../drizzle/0000_first.sql" with { type: "text" };
import keysAndBlobs from "../../drizzle/0001_keys_and_blobs.sql" with { type: "text" };
import serverSecrets from "../../drizzle/0002_server_secrets.sql" with { type: "text" };
import identity from "../../drizzle/0003_identity.sql" with { type: "text" };
import counts from "../../drizzle/0004_counts.sql" with { type: "text" };
import ownerAvatar from "../../drizzle/0005_owner_avatar.sql" with { type: "text" };
import endings from "../../drizzle/0006_endings.sql" with { type: "text" };
import installation from "../../drizzle/0007_installation.sql" with { type: "text" };
import outbox from "../../drizzle/0008_outbox.sql" with { type: "text" };
import queue from "../../drizzle/0009_queue.sql" with { type: "text" };
import lists from "../../drizzle/0010_lists.sql" with { type: "text" };
import blobReferences from "../../drizzle/0011_blob_references.sql" with { type: "text" };
import oneTableOfReferrers from "../../drizzle/0012_one_table_of_referrers.sql" with { type: "text" };
import commitStatuses from "../../drizzle/0013_commit_statuses.sql" with { type: "text" };
import topicsAndLanguages from "../../drizzle/0014_topics_and_languages.sql" with { type: "text" };
import transfers from "../../drizzle/0015_transfers.sql" with { type: "text" };
import wikis from "../../drizzle/0016_wikis.sql" with { type: "text" };
import releasesAndAttachments from "../../drizzle/0017_releases_and_attachments.sql" with { type: "text" };
import forks from "../../drizzle/0018_forks.sql" with { type: "text" };
import branchAndTagProtections from "../../drizzle/0019_branch_and_tag_protections.sql" with { type: "text" };
import archiveDownloads from "../../drizzle/0020_archive_downloads.sql" with { type: "text" };
import issues from "../../drizzle/0021_issues.sql" with { type: "text" };
import comments from "../../drizzle/0022_comments.sql" with { type: "text" };
import notifications from "../../drizzle/0023_notifications.sql" with { type: "text" };
import issueRecent from "../../drizzle/0024_issue_recent.sql" with { type: "text" };
import pulls from "../../drizzle/0025_pulls.sql" with { type: "text" };
import refEntries from "../../drizzle/0026_ref_entries.sql" with { type: "text" };
import trackedTimes from "../../drizzle/0027_tracked_times.sql" with { type: "text" };
import secretsAndArtifacts from "../../drizzle/0028_secrets_and_artifacts.sql" with { type: "text" };
import quota from "../../drizzle/0029_quota.sql" with { type: "text" };
import usageDays from "../../drizzle/0030_usage_days.sql" with { type: "text" };
import hooks from "../../drizzle/0031_hooks.sql" with { type: "text" };
import mirrors from "../../drizzle/0032_mirrors.sql" with { type: "text" };
import packages from "../../drizzle/0033_packages.sql" with { type: "text" };
import packageIndexes from "../../drizzle/0034_package_indexes.sql" with { type: "text" };
import quotaWarning from "../../drizzle/0035_quota_warning.sql" with { type: "text" };
import mirrorsLfsWiki from "../../drizzle/0036_mirrors_lfs_wiki.sql" with { type: "text" };
import packageCleanup from "../../drizzle/0037_package_cleanup.sql" with { type: "text" };
import packageIndexBytes from "../../drizzle/0038_package_index_bytes.sql" with { type: "text" };
import credentialsOfJobs from "../../drizzle/0039_credentials_of_jobs.sql" with { type: "text" };
import releaseSearchAndWikiLfs from "../../drizzle/0040_release_search_and_wiki_lfs.sql" with { type: "text" };
import hostKeysOfMigrations from "../../drizzle/0041_host_keys_of_migrations.sql" with { type: "text" };
import issueSearchAndCounts from "../../drizzle/0042_issue_search_and_counts.sql" with { type: "text" };
import pullRoom from "../../drizzle/0043_pull_room.sql" with { type: "text" };
import defaultOauthApplications from "../../drizzle/0044_default_oauth_applications.sql" with { type: "text" };
import giversAskersAndScheduledHeads from "../../drizzle/0045_givers_askers_and_scheduled_heads.sql" with { type: "text" };
import hookEventTries from "../../drizzle/0046_hook_event_tries.sql" with { type: "text" };
import keyCommentsAndShownHeaders from "../../drizzle/0047_key_comments_and_shown_headers.sql" with { type: "text" };
import sharesOfGuests from "../../drizzle/0048_shares_of_guests.sql" with { type: "text" };
import originalAuthors from "../../drizzle/0049_original_authors.sql" with { type: "text" };
import commentSearch from "../../drizzle/0050_comment_search.sql" with { type: "text" };
import hookEventTurns from "../../drizzle/0051_hook_event_turns.sql" with { type: "text" };
import commentWordsOfRepositories from "../../drizzle/0052_comment_words_of_repositories.sql" with { type: "text" };

/**
 * Every migration, in the order it runs. A name is never changed or removed once released.
 * The list is kept by hand because a compiled executable has no directory to read; the build fails when a file is missing here.
 */
export const migrations: readonly { name: string; sql: string }[] = [
  { name: "0000_first", sql: first },
  { name: "0001_keys_and_blobs", sql: keysAndBlobs },
  { name: "0002_server_secrets", sql: serverSecrets },
  { name: "0003_identity", sql: identity },
  { name: "0004_counts", sql: counts },
  { name: "0005_owner_avatar", sql: ownerAvatar },
  { name: "0006_endings", sql: endings },
  { name: "0007_installation", sql: installation },
  { name: "0008_outbox", sql: outbox },
  { name: "0009_queue", sql: queue },
  { name: "0010_lists", sql: lists },
  { name: "0011_blob_references", sql: blobReferences },
  { name: "0012_one_table_of_referrers", sql: oneTableOfReferrers },
  { name: "0013_commit_statuses", sql: commitStatuses },
  { name: "0014_topics_and_languages", sql: topicsAndLanguages },
  { name: "0015_transfers", sql: transfers },
  { name: "0016_wikis", sql: wikis },
  { name: "0017_releases_and_attachments", sql: releasesAndAttachments },
  { name: "0018_forks", sql: forks },
  { name: "0019_branch_and_tag_protections", sql: branchAndTagProtections },
  { name: "0020_archive_downloads", sql: archiveDownloads },
  { name: "0021_issues", sql: issues },
  { name: "0022_comments", sql: comments },
  { name: "0023_notifications", sql: notifications },
  { name: "0024_issue_recent", sql: issueRecent },
  { name: "0025_pulls", sql: pulls },
  { name: "0026_ref_entries", sql: refEntries },
  { name: "0027_tracked_times", sql: trackedTimes },
  { name: "0028_secrets_and_artifacts", sql: secretsAndArtifacts },
  { name: "0029_quota", sql: quota },
  { name: "0030_usage_days", sql: usageDays },
  { name: "0031_hooks", sql: hooks },
  { name: "0032_mirrors", sql: mirrors },
  { name: "0033_packages", sql: packages },
  { name: "0034_package_indexes", sql: packageIndexes },
  { name: "0035_quota_warning", sql: quotaWarning },
  { name: "0036_mirrors_lfs_wiki", sql: mirrorsLfsWiki },
  { name: "0037_package_cleanup", sql: packageCleanup },
  { name: "0038_package_index_bytes", sql: packageIndexBytes },
  { name: "0039_credentials_of_jobs", sql: credentialsOfJobs },
  { name: "0040_release_search_and_wiki_lfs", sql: releaseSearchAndWikiLfs },
  { name: "0041_host_keys_of_migrations", sql: hostKeysOfMigrations },
  { name: "0042_issue_search_and_counts", sql: issueSearchAndCounts },
  { name: "0043_pull_room", sql: pullRoom },
  { name: "0044_default_oauth_applications", sql: defaultOauthApplications },
  { name: "0045_givers_askers_and_scheduled_heads", sql: giversAskersAndScheduledHeads },
  { name: "0046_hook_event_tries", sql: hookEventTries },
  { name: "0047_key_comments_and_shown_headers", sql: keyCommentsAndShownHeaders },
  { name: "0048_shares_of_guests", sql: sharesOfGuests },
  { name: "0049_original_authors", sql: originalAuthors },
  { name: "0050_comment_search", sql: commentSearch },
  { name: "0051_hook_event_turns", sql: hookEventTurns },
  { name: "0052_comment_words_of_repositories", sql: commentWordsOfRepositories },
];
