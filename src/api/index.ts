import { Elysia } from "elysia";
import type { Forge } from "../domain/spine/forge.ts";
import { activityRoutes } from "./activities/routes.ts";
import { adminServerRoutes } from "./admin/server-routes.ts";
import { adminUserRoutes } from "./admin/user-routes.ts";
import { applicationRoutes } from "./applications/routes.ts";
import { archiveRoutes, archivePageRoutes, ballRoutes } from "./archive/routes.ts";
import { artifactRoutes } from "./artifacts/routes.ts";
import { pictureRoutes } from "./avatars/picture-routes.ts";
import { repositoryAvatarRoutes } from "./avatars/repository-routes.ts";
import { attachmentRoutes } from "./attachments/uuid-routes.ts";
import { avatarRoutes } from "./avatars/routes.ts";
import { branchRoutes } from "./branches/routes.ts";
import { codeSearchRoutes } from "./code-search/routes.ts";
import { collaboratorRoutes } from "./collaborators/routes.ts";
import { repositoryTeamRoutes } from "./collaborators/team-routes.ts";
import { compareRoutes } from "./commits/compare-routes.ts";
import { commentAttachmentRoutes, issueAttachmentRoutes } from "./comments/attachment-routes.ts";
import { commentRoutes, deprecatedCommentRoutes, singularCommentRoutes, timelineRoutes } from "./comments/routes.ts";
import { reactionRoutes } from "./comments/reaction-routes.ts";
import { commitRoutes } from "./commits/routes.ts";
import { makeApi } from "./common/api.ts";
import { answerHead } from "./common/http.ts";
import { editorconfigRoutes } from "./contents/editorconfig-routes.ts";
import { extendedContentRoutes } from "./contents/extended-routes.ts";
import { licenseRoutes } from "./contents/license-routes.ts";
import { patchRoutes } from "./contents/patch-routes.ts";
import { rawRoutes } from "./contents/raw-routes.ts";
import { contentRoutes } from "./contents/routes.ts";
import { contentWriteRoutes } from "./contents/write-routes.ts";
import { forkRoutes } from "./forks/routes.ts";
import { noteRoutes } from "./git/note-routes.ts";
import { gitRoutes } from "./git/routes.ts";
import { healthRoutes } from "./health/routes.ts";
import { internalRoutes } from "./internal/routes.ts";
import {
  adminHookRoutes,
  gitHookRoutes,
  organizationHookRoutes,
  repositoryHookRoutes,
  userHookRoutes,
} from "./hooks/routes.ts";
import { deployKeyRoutes } from "./keys/deploy-routes.ts";
import { gpgKeyRoutes } from "./keys/gpg-routes.ts";
import { userKeyRoutes } from "./keys/user-routes.ts";
import { issueLabelRoutes, singularLabelRoutes } from "./labels/issue-routes.ts";
import { labelRoutes, organizationLabelRoutes } from "./labels/routes.ts";
import { languageRoutes } from "./languages/routes.ts";
import { markdownRoutes, repositoryMarkdownRoutes } from "./markdown/routes.ts";
import { migrationRoutes } from "./migrations/routes.ts";
import { mirrorRoutes } from "./mirrors/routes.ts";
import { milestoneRoutes } from "./milestones/routes.ts";
import { miscRoutes } from "./misc/routes.ts";
import { openApiRoutes } from "./openapi/routes.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { organizationListRoutes } from "./orgs/list-routes.ts";
import { memberRoutes } from "./orgs/member-routes.ts";
import { organizationRoutes } from "./orgs/routes.ts";
import { branchProtectionRoutes } from "./protections/branch-routes.ts";
import { tagProtectionRoutes } from "./protections/tag-routes.ts";
import { commitPullRoutes } from "./pulls/commit-routes.ts";
import { pullFileRoutes } from "./pulls/file-routes.ts";
import { maintainerEditRoutes } from "./pulls/maintainer-edit-routes.ts";
import { pullRoutes } from "./pulls/routes.ts";
import { releaseAssetRoutes, releaseDownloadRoutes } from "./releases/asset-routes.ts";
import { issueTemplateRoutes } from "./issue-templates/routes.ts";
import { issueDependencyRoutes } from "./issues/dependency-routes.ts";
import { issueEditRoutes } from "./issues/edit-routes.ts";
import { issueListRoutes } from "./issues/list-routes.ts";
import { issuePinRoutes } from "./issues/pin-routes.ts";
import { issueSubscriptionRoutes } from "./issues/subscription-routes.ts";
import { issueRoutes } from "./issues/routes.ts";
import { pullMergeRoutes } from "./pulls/merge-routes.ts";
import { releaseRoutes } from "./releases/routes.ts";
import { createRepositoryRoutes } from "./repos/create-routes.ts";
import { packageCleanupRoutes } from "./packages/cleanup-routes.ts";
import { packageRoutes } from "./packages/routes.ts";
import { quotaGroupRoutes, quotaRuleRoutes, userQuotaRoutes } from "./quota/admin-routes.ts";
import { organizationQuotaRoutes, ownQuotaRoutes } from "./quota/owner-routes.ts";
import { repositoryFlagRoutes } from "./repos/flag-routes.ts";
import { generateRoutes } from "./repos/generate-routes.ts";
import { repositoryListRoutes } from "./repos/list-routes.ts";
import { repositoryMemberRoutes } from "./repos/member-routes.ts";
import { repositoryRoutes } from "./repos/routes.ts";
import { transferRoutes } from "./repos/transfer-routes.ts";
import { organizationSecretRoutes, repositorySecretRoutes, userSecretRoutes } from "./secrets/routes.ts";
import { reviewCommentRoutes } from "./reviews/comment-routes.ts";
import { reviewRequestRoutes } from "./reviews/request-routes.ts";
import { reviewRoutes } from "./reviews/review-routes.ts";
import { runRoutes } from "./runs/routes.ts";
import { settingRoutes } from "./settings/routes.ts";
import { blockRoutes } from "./social/block-routes.ts";
import { followRoutes } from "./social/follow-routes.ts";
import { signingRoutes } from "./signing/routes.ts";
import { starRoutes } from "./social/star-routes.ts";
import { watchRoutes } from "./social/watch-routes.ts";
import { statusRoutes } from "./statuses/routes.ts";
import { tagRoutes } from "./tags/routes.ts";
import { teamMemberRoutes } from "./teams/member-routes.ts";
import { teamRepositoryRoutes } from "./teams/repository-routes.ts";
import { teamRoutes } from "./teams/routes.ts";
import { templateRoutes } from "./templates/routes.ts";
import { issueTimeRoutes, ownTimeRoutes, repositoryTimeRoutes } from "./times/routes.ts";
import { ownStopwatchRoutes, stopwatchRoutes } from "./times/stopwatch-routes.ts";
import { tokenRoutes } from "./tokens/routes.ts";
import { topicRoutes } from "./topics/routes.ts";
import { twoFactorRoutes } from "./two-factor/routes.ts";
import { emailRoutes } from "./users/email-routes.ts";
import { userRoutes } from "./users/routes.ts";
import { userSettingRoutes } from "./users/settings-routes.ts";
import { wikiRoutes } from "./wiki/routes.ts";

/**
 * Every group of operations under /api/v1, in alphabetical order, so that two people who add
 * groups rarely meet. The list is written by hand: a compiled executable has no directory to scan.
 */
const groups = [
  adminHookRoutes,
  activityRoutes,
  adminServerRoutes,
  adminUserRoutes,
  applicationRoutes,
  archiveRoutes,
  artifactRoutes,
  avatarRoutes,
  ballRoutes,
  blockRoutes,
  branchProtectionRoutes,
  branchRoutes,
  codeSearchRoutes,
  collaboratorRoutes,
  commentAttachmentRoutes,
  commentRoutes,
  commitRoutes,
  compareRoutes,
  contentRoutes,
  contentWriteRoutes,
  createRepositoryRoutes,
  deployKeyRoutes,
  deprecatedCommentRoutes,
  editorconfigRoutes,
  emailRoutes,
  extendedContentRoutes,
  followRoutes,
  generateRoutes,
  gitHookRoutes,
  gitRoutes,
  gpgKeyRoutes,
  labelRoutes,
  licenseRoutes,
  languageRoutes,
  markdownRoutes,
  maintainerEditRoutes,
  memberRoutes,
  migrationRoutes,
  milestoneRoutes,
  mirrorRoutes,
  miscRoutes,
  forkRoutes,
  noteRoutes,
  organizationHookRoutes,
  organizationLabelRoutes,
  notificationRoutes,
  organizationListRoutes,
  organizationQuotaRoutes,
  organizationRoutes,
  ownStopwatchRoutes,
  ownTimeRoutes,
  organizationSecretRoutes,
  ownQuotaRoutes,
  packageCleanupRoutes,
  packageRoutes,
  patchRoutes,
  pullRoutes,
  pullFileRoutes,
  commitPullRoutes,
  quotaGroupRoutes,
  quotaRuleRoutes,
  pullMergeRoutes,
  rawRoutes,
  reactionRoutes,
  repositoryAvatarRoutes,
  repositoryFlagRoutes,
  repositoryHookRoutes,
  releaseAssetRoutes,
  issueEditRoutes,
  issueListRoutes,
  issueLabelRoutes,
  issueAttachmentRoutes,
  issuePinRoutes,
  issueDependencyRoutes,
  issueSubscriptionRoutes,
  issueRoutes,
  issueTemplateRoutes,
  issueTimeRoutes,
  releaseRoutes,
  repositoryListRoutes,
  repositoryMarkdownRoutes,
  repositoryMemberRoutes,
  repositoryRoutes,
  repositorySecretRoutes,
  repositoryTeamRoutes,
  repositoryTimeRoutes,
  reviewCommentRoutes,
  reviewRequestRoutes,
  reviewRoutes,
  runRoutes,
  settingRoutes,
  signingRoutes,
  singularCommentRoutes,
  singularLabelRoutes,
  starRoutes,
  statusRoutes,
  stopwatchRoutes,
  tagProtectionRoutes,
  tagRoutes,
  teamMemberRoutes,
  teamRepositoryRoutes,
  teamRoutes,
  templateRoutes,
  timelineRoutes,
  tokenRoutes,
  topicRoutes,
  transferRoutes,
  twoFactorRoutes,
  userHookRoutes,
  userKeyRoutes,
  userQuotaRoutes,
  userRoutes,
  userSecretRoutes,
  userSettingRoutes,
  watchRoutes,
  wikiRoutes,
] as const;

/** All routes of the API as one Elysia instance. */
export function apiRoutes(forge: Forge) {
  const api = makeApi(forge);
  const v1 = new Elysia({ prefix: "/api/v1" });
  for (const group of groups) {
    group(api).addTo(v1);
  }
  return answerHead(
    new Elysia({ name: "api" })
      .use(v1)
      .use(healthRoutes(api))
      .use(internalRoutes(api))
      .use(pictureRoutes(api))
      .use(archivePageRoutes(api))
      .use(attachmentRoutes(api))
      .use(releaseDownloadRoutes(api))
      .use(openApiRoutes(forge, v1.routes)),
  );
}

/** Whether an address belongs to the API. */
export function isApiPath(path: string): boolean {
  return path.startsWith("/api/") || path === "/api" || path === "/swagger.v1.json";
}
