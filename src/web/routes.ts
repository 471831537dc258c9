import { Elysia } from "elysia";
import type { Forge } from "../domain/spine/forge.ts";
import { adminConfigurationPages } from "./admin/configuration.ts";
import { adminJobPages } from "./admin/jobs.ts";
import { adminOverviewPages } from "./admin/overview.ts";
import { adminOwnerPages } from "./admin/owners.ts";
import { adminUserPages } from "./admin/user.ts";
import { adminUserListPages } from "./admin/users.ts";
import { mailLinkPages } from "./account/mail-links.ts";
import { negotiatePages } from "./account/negotiate.ts";
import { passwordPages } from "./account/password.ts";
import { secondFactorPages } from "./account/second-factor.ts";
import { signInPages } from "./account/sign-in.ts";
import { unsubscribePages } from "./account/unsubscribe.ts";
import { explorePages } from "./explore/explore.ts";
import { frontPages } from "./explore/front.ts";
import { refSearchPages } from "./repos/ref-search.ts";
import { sourcePages } from "./files/source.ts";
import { organizationPages } from "./owners/organization.ts";
import { profilePages } from "./owners/profile.ts";
import { codeSearchPages } from "./find/code-search.ts";
import { fileFinderPages } from "./find/file-finder.ts";
import { inboxChoicePages } from "./inbox/choices.ts";
import { inboxPages } from "./inbox/inbox.ts";
import { eventPages } from "./live/events.ts";
import { jumpPages } from "./jump/jump.ts";
import { deletePages } from "./edit/delete.ts";
import { patchPages } from "./edit/patch.ts";
import { setPages } from "./edit/set.ts";
import { textPages } from "./edit/text.ts";
import { uploadPages } from "./edit/upload.ts";
import { issuePages } from "./issues/pages.ts";
import { goImportResponse } from "./go-import.ts";
import { notFoundPage } from "./errors.ts";
import { badgePages } from "./badges.ts";
import { machineEndPages } from "./machine-ends.ts";
import { plainAddresses } from "./plain-addresses.ts";
import { authorizePages } from "./oauth/authorize.ts";
import { oauthEndpoints } from "./oauth/endpoints.ts";
import { open, preparePages, type DeclarePage, type PageRoute } from "./pages.ts";
import { createRepositoryPages } from "./repos/create.ts";
import { commitListPages } from "./history/commits.ts";
import { branchFormPages } from "./history/branch-forms.ts";
import { branchListPages } from "./history/branches.ts";
import { activityPages } from "./history/activity.ts";
import { graphPages } from "./history/graph.ts";
import { lostTipPages } from "./history/lost-tips.ts";
import { tagFormPages } from "./history/tag-forms.ts";
import { tagListPages } from "./history/tags.ts";
import { packageListPages } from "./packages/list.ts";
import { packageRulePages } from "./packages/rules.ts";
import { packageSettingsPages } from "./packages/settings.ts";
import { packageVersionPages } from "./packages/version.ts";
import { pullPages } from "./pulls/pages.ts";
import { reviewPages } from "./review/pages.ts";
import { comparePages } from "./compare/compare.ts";
import { pickPages } from "./commit/pick.ts";
import { checkPages } from "./checks/pages.ts";
import { commitPages } from "./commit/commit.ts";
import { feedPages } from "./feeds/routes.ts";
import { releaseDeletePages } from "./releases/delete.ts";
import { releaseFormPages } from "./releases/forms.ts";
import { releaseUploadPages } from "./releases/uploads.ts";
import { releaseListPages } from "./releases/list.ts";
import { repositorySettingsPages } from "./repo-settings/pages.ts";
import { homePages } from "./repos/home.ts";
import { homeActions } from "./repos/home-actions.ts";
import { wikiDeletePages } from "./wiki/delete.ts";
import { wikiEditPages } from "./wiki/edit.ts";
import { wikiHistoryPages } from "./wiki/history.ts";
import { wikiListPages } from "./wiki/list.ts";
import { wikiPages } from "./wiki/show.ts";
import { markPages } from "./social/marks.ts";
import { repositoryListPages } from "./social/repository-lists.ts";
import { generatePages } from "./repos/generate.ts";
import { forkPages } from "./repos/fork.ts";
import { appearancePages } from "./settings/appearance.ts";
import { applicationPages } from "./settings/applications.ts";
import { keyPages } from "./settings/keys.ts";
import { migrationPages } from "./settings/migrations.ts";
import { notificationPages } from "./settings/notifications.ts";
import { settingsPages } from "./settings/overview.ts";
import { sessionPages } from "./settings/sessions.ts";
import { tokenPages } from "./settings/tokens.ts";
import { twoFactorPages } from "./settings/two-factor.ts";
import { assetResponse } from "./assets/assets.ts";

/** Every group of pages, listed by hand. */
const groups = [
  frontPages,
  explorePages,
  inboxChoicePages,
  adminOverviewPages,
  adminUserListPages,
  adminUserPages,
  adminOwnerPages,
  adminJobPages,
  adminConfigurationPages,
  inboxPages,
  jumpPages,
  eventPages,
  profilePages,
  organizationPages,
  plainAddresses,
  machineEndPages,
  badgePages,
  signInPages,
  negotiatePages,
  secondFactorPages,
  passwordPages,
  mailLinkPages,
  unsubscribePages,
  settingsPages,
  twoFactorPages,
  notificationPages,
  migrationPages,
  sessionPages,
  tokenPages,
  keyPages,
  applicationPages,
  appearancePages,
  createRepositoryPages,
  markPages,
  repositoryListPages,
  forkPages,
  generatePages,
  fileFinderPages,
  codeSearchPages,
  homePages,
  homeActions,
  repositorySettingsPages,
  sourcePages,
  commitPages,
  checkPages,
  pickPages,
  comparePages,
  commitListPages,
  branchListPages,
  branchFormPages,
  activityPages,
  graphPages,
  refSearchPages,
  lostTipPages,
  tagListPages,
  tagFormPages,
  feedPages,
  releaseListPages,
  releaseFormPages,
  releaseDeletePages,
  releaseUploadPages,
  packageListPages,
  packageRulePages,
  packageVersionPages,
  packageSettingsPages,
  pullPages,
  reviewPages,
  issuePages,
  wikiPages,
  wikiListPages,
  wikiHistoryPages,
  wikiEditPages,
  wikiDeletePages,
  textPages,
  uploadPages,
  deletePages,
  patchPages,
  setPages,
] as const;

/** Every route: pages, and what applications call to sign users in, unless that is turned off. */
function routesOf(forge: Forge, page: DeclarePage): { method: string; path: string; handler: PageRoute["handler"] }[] {
  const pages = groups.flatMap((group) => group(forge, page));
  if (!forge.config.oauth.enabled) {
    return pages;
  }
  const endpoints = oauthEndpoints(forge).map(({ method, path, handler }) => ({
    method,
    path,
    handler: ({ request }: { request: Request }) => handler(request),
  }));
  return [...pages, ...authorizePages(forge, page), ...endpoints];
}

function asset({ request, params }: { request: Request; params: { file: string } }): Promise<Response> {
  return assetResponse(request, params.file);
}

/** The pages: what people see in a browser. */
export function webRoutes(forge: Forge) {
  const page = preparePages(forge);
  const app = new Elysia({ name: "web" }).onRequest(({ request }) => goImportResponse(forge, request));
  app.get("/assets/:file", asset).head("/assets/:file", asset);
  // Bodies are read by the handlers, bounded.
  const options = { parse: "none" } as const;
  for (const { method, path, handler } of routesOf(forge, page)) {
    app.route(method, path, handler, options);
    if (method === "GET") {
      app.head(path, handler, options);
    }
  }
  const nothing = page("GET", "", open, ({ visit }) => notFoundPage(visit));
  return app.onError({ as: "global" }, ({ code, request, error }) => {
    if (code !== "NOT_FOUND") {
      throw error;
    }
    return nothing.handler({ request });
  });
}
