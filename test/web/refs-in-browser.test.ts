import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { TestApp } from "../support/test-app.ts";

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to choose branches with");
}

describe.skipIf(chromium === null)("branches in a browser", () => {
  let app: TestApp;
  let browser: Browser;

  beforeAll(async () => {
    app = await TestApp.start();
    const alice = await app.user("alice");
    await app.repository(alice, "tour", { auto_init: true });
    for (const name of ["one/first", "two/second", "three/third"]) {
      await alice.api.post("/repos/alice/tour/branches", { new_branch_name: name });
    }
    browser = await startBrowser(chromium ?? "");
  });

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function open(javaScriptEnabled: boolean): Promise<{ page: Page; complaints: string[] }> {
    const context = await openContext(browser, app.url, "alice", { javaScriptEnabled });
    const page = await context.newPage();
    return { page, complaints: complaintsOf(page) };
  }

  test("the menu is searched as one types, and walked through with arrows", async () => {
    const { page, complaints } = await open(true);
    await page.goto(`${app.url}/alice/tour/src/branch/main/README.md`);
    await page.keyboard.press("w");
    await page.keyboard.type("seco");
    const links = page.locator("#ref-menu [data-refs] a");
    await links.nth(1).waitFor({ state: "detached" });
    expect(await links.allInnerTexts()).toEqual(["two/second"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/src/branch/two/second/README.md");
    expect(complaints).toEqual([]);
  });

  test.each([true, false])("a branch is deleted and restored (script: %p)", async (javaScriptEnabled) => {
    const { page, complaints } = await open(javaScriptEnabled);
    await page.goto(`${app.url}/alice/tour/branches?q=third`);
    await page.getByRole("button", { name: "Actions for three/third" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("The branch three/third is deleted").waitFor();
    await page.getByRole("link", { name: "Restore" }).click();
    await page
      .getByRole("link", { name: /Look at three\/third/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Restore the branch" }).click();
    await page.getByText("The branch three/third is there again").waitFor();
    expect(new URL(page.url()).pathname).toBe("/alice/tour/src/branch/three/third");
    expect(complaints).toEqual([]);
  });
});
