import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to look at pages that change");
}

/** Counts how often the page reads itself again. */
const countReads =
  "globalThis.reads = 0; const ask = globalThis.fetch; globalThis.fetch = (...given) => { globalThis.reads++; return ask(...given); };";
const hide = (hidden: boolean) =>
  `Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`;

describe.skipIf(chromium === null)("a page that is open", () => {
  let app: TestApp;
  let browser: Browser;
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    app = await TestApp.start();
    alice = await app.user("alice");
    bob = await app.user("bob");
    await app.repository(alice, "tour", { auto_init: true });
    await alice.api.post("/repos/alice/tour/issues", { title: "First", body: "It smokes" });
    browser = await startBrowser(chromium ?? "");
  });

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  /** A page of a reader in a browser of their own, when its stream is open. */
  async function open(
    user: string | null,
    path: string,
  ): Promise<{ page: Page; complaints: string[]; end(): Promise<void> }> {
    const context = await openContext(browser, app.url, user);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.addInitScript(countReads);
    const stream = page.waitForResponse((response) => response.url().includes("/-/events"));
    await page.goto(app.url + path);
    await stream;
    return { page, complaints, end: () => context.close() };
  }

  const comment = (user: TestUser, body: string) => user.api.post("/repos/alice/tour/issues/1/comments", { body });

  test("shows what another browser does to an issue, and keeps focus, open menus and folds", async () => {
    const reader = await open("bob", "/alice/tour/issues/1");
    const writer = await open("alice", "/alice/tour/issues/1");
    const { page } = reader;
    await page.locator("[popovertarget=account-menu]").click();
    await page.evaluate("document.querySelector('#account-menu a').focus()");
    await writer.page.locator("#answer textarea").fill("From the other browser");
    await writer.page.locator("#answer .main").click();
    await page.getByText("From the other browser").waitFor();
    expect(await page.evaluate<boolean>("document.querySelector('#account-menu').matches(':popover-open')")).toBe(true);
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Profile");
    await alice.api.patch("/repos/alice/tour/issues/1", { title: "First of all", state: "closed" });
    await page.getByRole("heading", { name: "First of all" }).waitFor();
    await page.locator("#title").getByText("Closed").waitFor();
    await alice.api.patch("/repos/alice/tour/issues/1", { state: "open" });
    await page.locator("#title").getByText("Open").waitFor();
    expect([...reader.complaints, ...writer.complaints]).toEqual([]);
    await Promise.all([reader.end(), writer.end()]);
  });

  test("offers what is new to somebody who is writing, and keeps the text", async () => {
    const { page, complaints, end } = await open("bob", "/alice/tour/issues/1");
    const field = page.locator("#answer textarea");
    await field.fill("What I was about to say");
    await comment(alice, "While you write");
    await comment(alice, "And once more");
    const offer = page.getByRole("button", { name: "2 new comments · show" });
    await offer.waitFor();
    expect(await page.getByText("And once more").count()).toBe(0);
    await offer.click();
    await page.getByText("And once more").waitFor();
    expect(await field.inputValue()).toBe("What I was about to say");
    expect(await page.locator(".offers button").count()).toBe(0);
    expect(complaints).toEqual([]);
    await end();
  });

  test("reads itself once for several changes", async () => {
    const { page, end } = await open(null, "/alice/tour/issues/1");
    for (const word of ["one", "two", "three", "four"]) {
      await comment(alice, `Number ${word}`);
    }
    await page.getByText("Number four").waitFor();
    expect(await page.evaluate<number>("globalThis.reads")).toBeLessThanOrEqual(2);
    await end();
  });

  test("offers new issues of a list, moves of a branch, and shows numbers in the bar", async () => {
    await bob.api.put("/repos/alice/tour/subscription");
    const list = await open("bob", "/alice/tour/issues");
    const home = await open(null, "/alice/tour");
    await alice.api.post("/repos/alice/tour/issues", { title: "Second" });
    await alice.api.post("/repos/alice/tour/issues", { title: "Third" });
    await alice.api.post("/repos/alice/tour/contents/new.txt", { content: btoa("new"), message: "Add new.txt" });
    await list.page.getByText("Notifications, 2 unread").waitFor({ state: "attached" });
    await list.page.getByRole("button", { name: "2 new issues · show" }).click();
    await list.page.getByText("Third").waitFor();
    const tab = home.page.locator("#repository-tabs a", { hasText: "Issues" });
    await tab.getByText("3").waitFor();
    expect(await home.page.getByText("new.txt").count()).toBe(0);
    await home.page.getByRole("button", { name: "main moved just now · show" }).click();
    await home.page.getByRole("link", { name: "new.txt", exact: true }).waitFor();
    expect([...list.complaints, ...home.complaints]).toEqual([]);
    await Promise.all([list.end(), home.end()]);
  });

  test("follows the inbox, and is done with rows by keys", async () => {
    const { page, complaints, end } = await open("bob", "/notifications");
    await page.locator("#list li").first().waitFor();
    const before = await page.locator("#list li").count();
    await alice.api.post("/repos/alice/tour/issues", { title: "Fourth" });
    await page.getByRole("button", { name: "1 new notification · show" }).click();
    await page.getByText("Fourth").waitFor();
    for (const key of ["j", "x", "j", "x", "e"]) {
      await page.keyboard.press(key);
    }
    await page.waitForLoadState();
    await page
      .locator("#list li")
      .nth(before - 2)
      .waitFor();
    expect(await page.locator("#list li").count()).toBe(before - 1);
    await page.keyboard.press("j");
    await page.keyboard.press("e");
    await page.waitForURL("**/notifications");
    expect(complaints).toEqual([]);
    await end();
  });

  test("closes its stream while it is hidden, and shows then what it missed", async () => {
    const { page, end } = await open(null, "/alice/tour/issues/1");
    await page.evaluate(hide(true));
    await comment(alice, "Nobody looked");
    const again = page.waitForResponse((response) => response.url().includes("/-/events"));
    await page.evaluate(hide(false));
    await again;
    await page.getByText("Nobody looked").waitFor();
    await end();
  });
});
