import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { TestApp, testPassword } from "../support/test-app.ts";

/** Files of a release that a browser uploads in parts. */

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to try the pages with");
}

const part = 64 * 1024;
const content = "0123456789abcdef".repeat((3 * part) / 16);

describe.skipIf(chromium === null)("files of a release", () => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    // So that three parts are enough.
    app = await TestApp.start({ api: { content_limit_bytes: part } });
    const alice = await app.user("alice");
    await app.repository(alice, "tour", { auto_init: true });
    browser = await startBrowser(chromium ?? "");
    page = await (await openContext(browser, app.url, null)).newPage();
    complaints = complaintsOf(page);
    await page.goto(`${app.url}/user/login`);
    await page.getByLabel("User name or e-mail address", { exact: true }).fill("alice");
    await page.getByLabel("Password", { exact: true }).fill(testPassword);
    await page.locator("main").getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/");
  });

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  test("go on after a lost connection, and are attached with the release", async () => {
    await page.goto(`${app.url}/alice/tour/releases/new`);
    let parts = 0;
    await page.route("**/releases/uploads/*", async (route) => {
      // The second part arrives, and its answer is lost.
      if (route.request().method() === "POST" && ++parts === 2) {
        await route.fetch();
        await route.abort("connectionreset");
      } else {
        await route.continue();
      }
    });
    const buffer = Buffer.from(content);
    await page.getByLabel("Add files").setInputFiles({ name: "big.bin", mimeType: "application/octet-stream", buffer });
    await page.getByText("big.bin is uploaded.").waitFor();
    expect(parts).toBe(3);
    // A button that does not save keeps them.
    await page.getByLabel("Notes").fill("Text");
    await page.locator("input[name=tag_name]").fill("v1");
    await page.getByRole("button", { name: "Notes from merged pull requests" }).click();
    await page.getByText("The notes name what was merged").waitFor();
    await page.getByRole("button", { name: "Publish the release" }).click();
    await page.waitForURL("**/releases/tag/v1");
    const address = await page.getByRole("link", { name: "big.bin" }).getAttribute("href");
    expect(await (await fetch(app.url + address)).text()).toBe(content);
    expect(complaints.filter((text) => !text.includes("ERR_CONNECTION_RESET"))).toEqual([]);
  });
});
