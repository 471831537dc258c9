import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { findChromium, openContext, startBrowser } from "../support/browser.ts";
import { startWebServer } from "../support/web-server.ts";

/*
 * `bun run shots`: pictures of the main pages, in `shots/`, which git ignores. They are there to be looked at.
 * `bun run shots --docs` takes those that docs/ shows, into docs/pictures/.
 */

interface Shot {
  readonly name: string;
  readonly at: string;
  /** What is done before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
  /** A document shows the picture. */
  readonly inDocs?: true;
}

const shots: readonly Shot[] = [
  { name: "front", at: "/", inDocs: true },
  { name: "explore", at: "/explore/repos" },
  { name: "organization", at: "/forge" },
  { name: "repository", at: "/forge/stithy", inDocs: true },
  { name: "clone", at: "/forge/stithy", act: (page) => page.getByRole("button", { name: "Clone" }).click() },
  {
    name: "palette",
    at: "/forge/stithy",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("clone");
      await page.getByRole("option").first().waitFor();
    },
  },
  { name: "keys", at: "/forge/stithy", act: (page) => page.keyboard.press("?") },
  { name: "file", at: "/forge/stithy/src/branch/main/src/main.ts", inDocs: true },
  { name: "blame", at: "/forge/stithy/blame/branch/main/README.md" },
  { name: "edit", at: "/forge/stithy/_edit/main/README.md" },
  { name: "compare", at: "/forge/stithy/compare/main...queue/more-at-once" },
  { name: "graph", at: "/forge/stithy/graph" },
  { name: "issues", at: "/forge/stithy/issues" },
  { name: "issue", at: "/forge/stithy/issues/1", inDocs: true },
  { name: "pull-request", at: "/forge/stithy/pulls/4", inDocs: true },
  { name: "review", at: "/forge/stithy/pulls/4/files", inDocs: true },
  { name: "inbox", at: "/notifications" },
  { name: "release", at: "/forge/stithy/releases" },
  { name: "wiki", at: "/forge/stithy/wiki" },
  { name: "package", at: "/forge/-/packages/generic/anvil/1.0.0" },
  { name: "access", at: "/forge/stithy/settings/collaboration", inDocs: true },
  { name: "rule", at: "/forge/stithy/settings/branches" },
  { name: "history", at: "/forge/stithy/commits/branch/main" },
  { name: "search", at: "/forge/stithy/search?q=database" },
  { name: "empty", at: "/mara/empty" },
  { name: "settings", at: "/user/settings/tokens" },
];
const looks = [
  { name: "light-1280", colorScheme: "light", width: 1280 },
  { name: "dark-1280", colorScheme: "dark", width: 1280 },
  { name: "light-390", colorScheme: "light", width: 390 },
  { name: "dark-390", colorScheme: "dark", width: 390 },
] as const;

const isForDocs = process.argv.includes("--docs");
const taken = isForDocs ? shots.filter(({ inDocs }) => inDocs) : shots;
const seen = isForDocs ? looks.slice(0, 1) : looks;
const chromium = findChromium();
if (chromium === null) {
  throw new Error("There is no chromium to take pictures with");
}
const directory = join(import.meta.dir, "../..", isForDocs ? "docs/pictures" : "shots");
await mkdir(directory, { recursive: true });
await using server = await startWebServer();
const { url } = server;
const browser = await startBrowser(chromium);
const context = await openContext(browser, url, "mara");
for (const { name, at, act } of taken) {
  const page = await context.newPage();
  for (const look of seen) {
    await page.setViewportSize({ width: look.width, height: 900 });
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.goto(url + at);
    await act?.(page);
    const file = isForDocs ? `${name}.png` : `${name}-${look.name}.png`;
    await page.screenshot({ path: join(directory, file), fullPage: !isForDocs && act === undefined });
  }
  await page.close();
}
await browser.close();
console.log(`${taken.length * seen.length} pictures are in ${directory}`);
