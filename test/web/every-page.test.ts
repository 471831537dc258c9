import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import axe from "axe-core";
import { sql } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import { webRoutes } from "../../src/web/routes.ts";
import { forgeWithoutLimits } from "../contract/product-document.ts";
import { complaintsOf, findChromium, openContext, overflowOf, startBrowser } from "../support/browser.ts";
import { TestApp } from "../support/test-app.ts";
import { makeWebContent, people } from "../support/web-content.ts";
import { knownPages, type KnownPage } from "./pages.ts";

/*
 * Every page in a real browser: wide and narrow, light and dark, with script and without. `pages.ts` lists them.
 */

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to visit every page with");
}

/** What a page of axe answers, as far as it is shown. */
interface Findings {
  violations: { id: string; nodes: { html: string }[] }[];
}

const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
/** The narrowest window that pages have to fit into (WCAG 2.2, 1.4.10). */
const least = { width: 320, height: 700 };

describe.skipIf(chromium === null)("every page", () => {
  let app: TestApp;
  let browser: Browser;
  /** Commits by the words that stand for them in addresses: see pages.ts. */
  let commits: Readonly<Record<string, string>>;
  const opened = new Map<string, Promise<{ page: Page; complaints: string[] }>>();

  beforeAll(async () => {
    app = await TestApp.start({ auth: { failed_sign_ins_per_minute: 1000 } });
    const clients = await Promise.all(
      people.map(async (name) => [name, (await app.user(name, { isAdmin: name === "mara" })).api] as const),
    );
    await makeWebContent(Object.fromEntries(clients) as Parameters<typeof makeWebContent>[0]);
    const { body } = await app.anonymous.get<{ commit: { id: string } }>("/repos/forge/stithy/branches/main");
    const pull = await app.anonymous.get<{ head: { sha: string } }>("/repos/forge/stithy/pulls/5");
    const [was] = await app.forge.database.db.execute<{ oid: string }>(
      sql`select encode(new_oid, 'hex') as oid from reflog where name = 'refs/pull/5/head' order by id limit 1`,
    );
    commits = {
      ":head": body.commit.id,
      ":pull": pull.body.head.sha,
      ":was": was?.oid ?? "",
      ...(await wikiCommits()),
    };
    browser = await startBrowser(chromium ?? "");
  });

  /** The commits of forge/stithy's wiki that made its first page and that changed it. */
  async function wikiCommits() {
    const address = "/repos/forge/stithy/wiki/revisions/Home";
    const { body } = await app.anonymous.get<{ commits: { sha: string }[] }>(address);
    return { ":wiki-first": body.commits.at(-1)?.sha ?? "", ":wiki-last": body.commits[0]?.sha ?? "" };
  }

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  /** The one page of a reader, with script or without. */
  function pageOf(as: KnownPage["as"], javaScriptEnabled: boolean) {
    const key = `${as} ${javaScriptEnabled}`;
    const found = opened.get(key) ?? openPage(as, javaScriptEnabled);
    opened.set(key, found);
    return found;
  }

  async function openPage(as: KnownPage["as"], javaScriptEnabled: boolean) {
    const context = await openContext(browser, app.url, as === "nobody" ? null : as, { javaScriptEnabled });
    const page = await context.newPage();
    return { page, complaints: complaintsOf(page) };
  }

  async function findings(page: Page, what: string, options: axe.RunOptions): Promise<string[]> {
    const { violations } = await page.evaluate<Findings>(`axe.run(document, ${JSON.stringify(options)})`);
    return violations.map(
      ({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join("; ")}`,
    );
  }

  /** axe looks at all of it in both widths, and at what the colours decide in the dark. */
  async function expectAccessible(page: Page): Promise<void> {
    await page.evaluate(axe.source);
    const found: string[] = [];
    for (const size of [wide, narrow]) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: "light" });
      found.push(...(await findings(page, `${size.width} light`, {})));
      await page.emulateMedia({ colorScheme: "dark" });
      found.push(
        ...(await findings(page, `${size.width} dark`, { runOnly: ["color-contrast", "link-in-text-block"] })),
      );
    }
    await page.emulateMedia({ colorScheme: "light" });
    expect(found).toEqual([]);
  }

  /** The page is no wider than a narrow window, and no heading of a table is written letter by letter. */
  async function expectToFit(page: Page): Promise<void> {
    for (const size of [narrow, least]) {
      await page.setViewportSize(size);
      const broken = await page.evaluate<string[]>(
        `[...document.querySelectorAll("th")].filter((head) => head.getClientRects().length > 0 && head.offsetWidth < 30).map((head) => head.textContent)`,
      );
      const { width } = size;
      expect({ width, wider: await overflowOf(page), broken }).toEqual({ width, wider: 0, broken: [] });
    }
    await page.setViewportSize(wide);
  }

  async function open(known: KnownPage, javaScriptEnabled: boolean): Promise<Page> {
    const { page, complaints } = await pageOf(known.as, javaScriptEnabled);
    complaints.length = 0;
    const { status = 200 } = known;
    const answer = await page.goto(
      app.url + known.at.replaceAll(/:(?:head|pull|was|wiki-first|wiki-last)/g, (word) => commits[word] ?? ""),
    );
    expect(answer?.status()).toBe(status);
    const expected = status === 200 ? [] : [expect.stringContaining(`status of ${status}`)];
    expect(complaints).toEqual(expected);
    const style = "getComputedStyle(document.querySelector('.foot')).borderTopStyle";
    expect([await page.locator("h1:not(article h1)").count(), await page.evaluate(style)]).toEqual([1, "solid"]);
    return page;
  }

  test.each(knownPages.map((known) => [known.as, known.at, known] as const))("for %s: %s", async (_, __, known) => {
    const page = await open(known, true);
    await expectAccessible(page);
    await expectToFit(page);
    await expectToFit(await open(known, false));
  });
});

/** Bytes, redirects, steps of signing in (browser.test.ts) and what programs call. */
const noPages = new Set([
  // They lead elsewhere.
  "/explore",
  "/:owner/:repo/issues/new/choose",
  "/-/events",
  "/:owner/:repo/-/events",
  "/-/jump",
  "/:owner/:repo/-/jump",
  "/:owner/:repo/-/complete",
  // For programs (test/web/feeds.test.ts).
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
  "/manifest.json",
  "/opensearch.xml",
  "/sitemap.xml",
  "/sitemap/:file",
  "/:owner/:repo/issues/:index/info",
  "/:owner/:repo/issues/:index/source",
  // Names an entry by its number (test/web/ of branches).
  "/:owner/:repo/branches/lost/:entry",
  // Bytes of a file.
  "/:owner/-/packages/:type/:name/:version/files/:id",
  // Leads to /-/admin.
  "/admin",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/:owner/:repo/media/*",
  "/:owner/:repo/raw/*",
  "/:owner/:repo/releases/attachments/:uuid",
  // Bytes of a picture.
  "/:owner/:repo/settings/avatar",
  "/:owner/:repo/wiki/_pages/compare",
  "/:owner/:repo/releases/latest",
  // Answers a script (test/web/releases.test.ts).
  "/:owner/:repo/releases/uploads/:id",
  "/login/oauth/authorize",
  "/login/oauth/keys",
  "/login/oauth/userinfo",
  "/robots.txt",
  "/user/login/negotiate",
  "/user/reset-password",
  "/user/two_factor",
  "/user/unsubscribe",
  "/user/verify-email",
]);

test("every route of a page has a line in pages.ts", () => {
  const routes = webRoutes(forgeWithoutLimits())
    .routes.filter(({ method, path }) => method === "GET" && !path.startsWith("/assets/"))
    .map(({ path }) => path);
  const patterns = routes.map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+").replace("*", ".+")}$`),
    literal: path.replaceAll(/:\w+|\*/g, "").length,
  }));
  const visited = knownPages.map(({ at }) => {
    const [path = ""] = at.split("?");
    const matching = patterns.filter(({ pattern }) => pattern.test(path));
    return matching.toSorted((a, b) => b.literal - a.literal)[0]?.path;
  });
  expect(routes.filter((path) => !visited.includes(path) && !noPages.has(path))).toEqual([]);
});
