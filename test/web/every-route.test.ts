import { expect, test } from "bun:test";
import { webRoutes } from "../../src/web/routes.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { enrolTwoFactor } from "../support/totp.ts";
import { WebVisitor } from "../support/web-visitor.ts";

/** What holds for every page, also for those that are yet to come: the routes are read from the router itself. */

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("alice");
await app.repository(alice, "closed", { private: true, auto_init: true });

/** What programs call: no cookie counts there. */
const forPrograms = /^\/(login\/oauth\/(access_token|introspect|userinfo|keys)|\.well-known\/|assets\/)/;
/** The pages that nobody needs to be signed in for. */
const forAnybody = new Set([
  "/",
  "/:owner",
  "/org/:owner/issues",
  "/org/:owner/issues/filter",
  "/org/:owner/members",
  "/org/:owner/milestones",
  "/org/:owner/pulls",
  "/org/:owner/pulls/filter",
  "/:owner/-/packages",
  "/:owner/-/packages/:type/:name",
  "/:owner/-/packages/:type/:name/:version",
  "/:owner/-/packages/:type/:name/:version/files/:id",
  "/:owner/:repo/packages",
  "/:owner/:repo",
  "/:owner/:repo/src/*",
  "/:owner/:repo/blame/*",
  "/:owner/:repo/raw/*",
  "/:owner/:repo/media/*",
  "/:owner/:repo/releases",
  "/:owner/:repo/releases/attachments/:uuid",
  "/:owner/:repo/releases/latest",
  "/:owner/:repo/releases/tag/*",
  "/robots.txt",
  "/manifest.json",
  "/opensearch.xml",
  "/sitemap.xml",
  "/sitemap/:file",
  "/:owner/:repo/atom/branch/*",
  "/:owner/:repo/badges/issues.svg",
  "/:owner/:repo/badges/issues/open.svg",
  "/:owner/:repo/badges/pulls.svg",
  "/:owner/:repo/badges/pulls/open.svg",
  "/:owner/:repo/badges/release.svg",
  "/:owner/:repo/badges/stars.svg",
  "/:owner/:repo/releases.atom",
  "/:owner/:repo/releases.rss",
  "/:owner/:repo/rss/branch/*",
  "/:owner/:repo/tags.atom",
  "/:owner/:repo/tags.rss",
  "/:owner/:repo/commit/:sha",
  "/:owner/:repo/commit/:sha/checks",
  "/:owner/:repo/commits/*",
  "/:owner/:repo/compare",
  "/:owner/:repo/compare/*",
  "/:owner/:repo/activity",
  "/:owner/:repo/activity/contributors",
  "/:owner/:repo/branches",
  "/:owner/:repo/graph",
  "/:owner/:repo/refs",
  "/:owner/:repo/tags",
  "/:owner/:repo/stars",
  "/:owner/:repo/watchers",
  "/:owner/:repo/forks",
  "/:owner/:repo/issues",
  "/:owner/:repo/issues/:index",
  "/:owner/:repo/issues/:index/history",
  "/:owner/:repo/issues/:index/dependencies",
  "/:owner/:repo/issues/:index/info",
  "/:owner/:repo/issues/:index/source",
  "/:owner/:repo/pulls",
  "/:owner/:repo/pulls/:index",
  "/:owner/:repo/pulls/:index/commits",
  "/:owner/:repo/pulls/:index/commits/:sha",
  "/:owner/:repo/pulls/:index/files",
  "/:owner/:repo/pulls/:index/files/:range",
  "/:owner/:repo/pulls/:index/checks",
  "/:owner/:repo/labels",
  "/:owner/:repo/milestones",
  "/:owner/:repo/milestone/:id",
  "/:owner/:repo/milestone/:id/filter",
  "/:owner/:repo/issues/filter",
  "/:owner/:repo/pulls/filter",
  "/:owner/:repo/wiki",
  "/:owner/:repo/wiki/*",
  "/:owner/:repo/wiki/_compare/:range",
  "/:owner/:repo/wiki/_history/*",
  "/:owner/:repo/wiki/_pages",
  "/:owner/:repo/wiki/_pages/compare",
  "/:owner/:repo/wiki/_pages/history",
  "/:owner/:repo/wiki/commit/:sha",
  "/explore",
  "/explore/repos",
  "/explore/users",
  "/explore/organizations",
  "/explore/topics",
  "/:owner/:repo/-/events",
  "/-/jump",
  "/:owner/:repo/-/jump",
  "/:owner/:repo/find/*",
  "/:owner/:repo/search",
  "/user/login",
  "/user/logout",
  "/user/two_factor",
  "/user/settings/change_password",
  "/user/forgot_password",
  "/user/reset-password",
  "/user/verify-email",
  "/user/unsubscribe",
  "/login/oauth/authorize",
]);

const routes = webRoutes(app.forge).routes.filter(({ path }) => !forPrograms.test(path));
const paths = (method: string) => routes.filter((route) => route.method === method).map(({ path }) => path);
const fill = (path: string) =>
  path
    .replace(":owner", "alice")
    .replace(":repo", "closed")
    .replace(":sha", "a".repeat(40))
    .replace(":index", "1.diff")
    .replace("*", "branch/main");

async function signedIn(name: string): Promise<WebVisitor> {
  const browser = new WebVisitor(app.url);
  await browser.signIn(name, testPassword);
  return browser;
}

test("the router has pages", () => {
  expect(paths("GET").length).toBeGreaterThan(15);
  expect(paths("POST").length).toBeGreaterThan(15);
});

/** What a link of a mail opens for its reader, with a token of its own in the address (test/mail/issue-mail.test.ts). */
const oneClick = new Set(["/user/unsubscribe"]);

test.each(paths("POST").filter((path) => !oneClick.has(path)))(
  "POST %s is refused without the form's token, and from another origin",
  async (path) => {
    const browser = await signedIn("alice");
    const csrf = /name="_csrf" value="([^"]+)"/.exec((await browser.get("/")).text)?.[1] ?? "";
    expect((await browser.post(fill(path), {})).status).toBe(403);
    expect((await browser.post(fill(path), { _csrf: csrf }, { origin: "https://evil.example" })).status).toBe(403);
    expect((await browser.post(fill(path), { _csrf: csrf }, { "sec-fetch-site": "same-site" })).status).toBe(403);
  },
);

test.each(paths("GET"))(
  "GET %s is for those it is said to be for, hides what is private, and runs no script but the server's own",
  async (path) => {
    const anonymous = await new WebVisitor(app.url).get(fill(path));
    if (!forAnybody.has(path)) {
      expect([anonymous.status, anonymous.location.split("?")[0]]).toEqual([303, "/user/login"]);
    }
    if (path.startsWith("/:owner/:repo") && forAnybody.has(path)) {
      expect(anonymous.status).toBe(404);
    }
    const browser = await signedIn("alice");
    for (const page of [anonymous, await browser.get(fill(path))]) {
      expect(page.status).toBeLessThan(500);
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      if (page.status === 200 && page.headers.get("content-type")?.startsWith("text/html") === true) {
        expect(page.headers.get("content-security-policy")).toStartWith(
          "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'",
        );
        expect(page.headers.get("referrer-policy")).toBe("same-origin");
        const own = /<script type="module" src="\/assets\/[a-z]+-[a-z0-9]+\.js"><\/script>/g;
        expect(page.text.replaceAll(own, "")).not.toMatch(/<script|\son[a-z]+=|style="/i);
      }
    }
    expect((await browser.request("HEAD", fill(path))).status).toBe((await browser.get(fill(path))).status);
  },
);

test("until the second factor is given a session opens no page of its own", async () => {
  await app.user("bob");
  await enrolTwoFactor(app, "bob");
  const half = await signedIn("bob");
  for (const path of paths("GET").filter((one) => !forAnybody.has(one))) {
    expect((await half.get(path)).location).toStartWith("/user/two_factor");
  }
  expect((await half.get("/")).text).not.toContain("Sign out");
});
