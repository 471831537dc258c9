import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to search lists with");
}

describe.skipIf(chromium === null)("lists in a browser", () => {
  let app: TestApp;
  let browser: Browser;
  let list: string;

  beforeAll(async () => {
    app = await TestApp.start();
    const { api } = await app.user("alice");
    await api.post("/user/repos", { name: "tour", auto_init: true });
    await api.post("/repos/alice/tour/labels", { name: "good first issue", color: "#112233" });
    for (let number = 1; number <= 5; number++) {
      await api.post("/repos/alice/tour/issues", { title: `Issue ${number}` });
      if (number <= 3) {
        await api.post(`/repos/alice/tour/issues/${number}/pin`);
      }
    }
    await api.post("/repos/alice/tour/issues/1/labels", { labels: ["good first issue"] });
    list = `${app.url}/alice/tour/issues`;
    browser = await startBrowser(chromium ?? "");
  });

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function open(javaScriptEnabled: boolean): Promise<{ page: Page; complaints: string[] }> {
    const context = await openContext(browser, app.url, "alice", { javaScriptEnabled });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(list);
    return { page, complaints };
  }

  test("a filter and its value are completed as one types", async () => {
    const { page, complaints } = await open(true);
    const box = page.getByRole("combobox", { name: "Search issues" });
    await box.fill("is:open la");
    await page.getByRole("option", { name: "Label label:", exact: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.getByRole("option", { name: "good first issue" }).waitFor();
    expect(await box.inputValue()).toBe("is:open label:");
    await page.keyboard.type("FIRST");
    await page.getByRole("option", { name: "good first issue" }).click();
    expect(await box.inputValue()).toBe('is:open label:"good first issue" ');
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=is%3Aopen\+label/);
    expect(await page.locator(".list .rows > li").count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test.each([true, false])("a filter is chosen from its menu, or from its page (script: %p)", async (script) => {
    const { page, complaints } = await open(script);
    await page.getByRole(script ? "button" : "link", { name: "Label", exact: true }).click();
    await page
      .getByRole("link", { name: /good first issue/ })
      .last()
      .click();
    await page.waitForURL(/label/);
    expect(await page.locator(".list .rows > li").allInnerTexts()).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test("rows are marked with the shift key, and the form shows itself", async () => {
    const { page, complaints } = await open(true);
    const change = page.getByRole("button", { name: "Change", exact: true });
    expect(await change.isVisible()).toBe(false);
    const marks = page.locator(".mark");
    await marks.nth(1).click();
    await marks.nth(3).click({ modifiers: ["Shift"] });
    expect(await page.locator(".mark:checked").count()).toBe(3);
    await page.getByRole("combobox", { name: "Label" }).selectOption({ index: 1 });
    await change.click();
    await page.getByText("3 are changed.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("several are changed without script", async () => {
    const { page } = await open(false);
    await page.locator(".mark").first().click();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByText("One is changed.").waitFor();
  });

  test("a pin is dragged to another place", async () => {
    const { page, complaints } = await open(true);
    await page.getByRole("button", { name: "Reorder" }).click();
    const pins = page.locator("pin-order li");
    expect(await pins.allInnerTexts()).toEqual(["Issue 1", "Issue 2", "Issue 3"]);
    await pins.nth(2).dragTo(pins.nth(0));
    await until("the pins are in another order", async () => {
      const shown = await page
        .locator(".pinned .issues b")
        .allInnerTexts()
        .catch(() => []);
      return shown.join() === "Issue 3,Issue 1,Issue 2";
    });
    expect(complaints).toEqual([]);
  });
});
