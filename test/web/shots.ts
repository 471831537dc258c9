import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { ApiClient } from "../support/client.ts";
import { findChromium, openContext, startBrowser } from "../support/browser.ts";
import { StithyProcess } from "../support/stithy.ts";
import { testPassword } from "../support/test-app.ts";
import { makeWebContent, people, type Person } from "../support/web-content.ts";

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
  { name: "keys", at: "/forge/stithy", act: (page) => page.keyboard.press("?") },
  { name: "file", at: "/forge/stithy/src/branch/main/src/main.ts" },
  { name: "commit", at: "/forge/stithy/commits/branch/main" },
  { name: "empty", at: "/mara/empty" },
  { name: "settings", at: "/user/settings/tokens" },
];
const looks = [
  { name: "light-1280", colorScheme: "light", width: 1280 },
  { name: "dark-1280", colorScheme: "dark", width: 1280 },
  { name: "light-390", colorScheme: "light", width: 390 },
  { name: "dark-390", colorScheme: "dark", width: 390 },
] as const;

const tokenOf = (name: Person) => `${name}-token`;
const seed = {
  users: people.map((username) => ({
    username,
    password: testPassword,
    admin: username === "mara",
    tokens: [{ name: "shots", value: tokenOf(username), scopes: ["all"] }],
  })),
};

const chromium = findChromium();
if (chromium === null) {
  throw new Error("There is no chromium to take pictures with");
}
const directory = join(import.meta.dir, "..", "..", "shots");
await mkdir(directory, { recursive: true });
const server = new StithyProcess(["serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)]);
const { url } = await server.ready<{ url: string }>();
const clients = people.map((name) => [name, new ApiClient(url, { authorization: `token ${tokenOf(name)}` })] as const);
await makeWebContent(Object.fromEntries(clients) as Record<Person, ApiClient>);

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
await server.stop();
console.log(`${shots.length * looks.length} pictures are in ${directory}`);
