import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { findChromium, openContext, startBrowser } from "../support/browser.ts";
import { startWebServer } from "../support/web-server.ts";

/*
 * `bun run shots`: pictures of the main pages, in `shots/`, which git ignores. They are there to be looked at.
 */

interface Shot {
  readonly name: string;
  readonly at: string;
  /** What is done before the picture is taken. */
  readonly act?: (page: Page) => Promise<void>;
}

const shots: readonly Shot[] = [
  { name: "front", at: "/" },
  { name: "repository", at: "/forge/stithy" },
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
  { name: "file", at: "/forge/stithy/src/branch/main/src/main.ts" },
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

const chromium = findChromium();
if (chromium === null) {
  throw new Error("There is no chromium to take pictures with");
}
const directory = join(import.meta.dir, "..", "..", "shots");
await mkdir(directory, { recursive: true });
await using server = await startWebServer();
const { url } = server;
const browser = await startBrowser(chromium);
const context = await openContext(browser, url, "mara");
for (const { name, at, act } of shots) {
  const page = await context.newPage();
  for (const look of looks) {
    await page.setViewportSize({ width: look.width, height: 900 });
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.goto(url + at);
    await act?.(page);
    await page.screenshot({ path: join(directory, `${name}-${look.name}.png`), fullPage: act === undefined });
  }
  await page.close();
}
await browser.close();
console.log(`${shots.length * looks.length} pictures are in ${directory}`);
