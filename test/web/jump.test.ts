import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.user("linus");
await app.organization("anvils", alice);
await app.repository(alice, "tour", { description: "A <b>tour</b>", auto_init: true });
await app.repository(alice, "hidden-tour", { private: true, auto_init: true });
await bob.api.post("/repos/alice/tour/issues", { title: "The forge <i>smokes</i>" });
await alice.api.post("/repos/alice/hidden-tour/issues", { title: "The hidden forge smokes" });

interface Answer {
  groups: { title: string; goals: { text: string; href: string }[] }[];
}

async function browserOf(name: string): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn(name, testPassword);
  return visitor;
}
const nobody = new WebVisitor(app.url);
const aliceBrowser = await browserOf("alice");
const bobBrowser = await browserOf("bob");

async function jump(visitor: WebVisitor, q: string, place = ""): Promise<string[]> {
  const { status, text } = await visitor.get(`${place}/-/jump?${new URLSearchParams({ q }).toString()}`);
  expect(status).toBe(200);
  return (JSON.parse(text) as Answer).groups.flatMap(({ goals }) => goals.map(({ href }) => href));
}

describe("what the palette finds", () => {
  test("is what the visitor may see", async () => {
    for (const visitor of [nobody, bobBrowser]) {
      expect(await jump(visitor, "tour")).not.toContain("/alice/hidden-tour");
      expect(JSON.stringify(await jump(visitor, "smokes"))).not.toContain("hidden");
      expect((await visitor.get("/alice/hidden-tour/-/jump?q=")).status).toBe(404);
    }
    expect(await jump(aliceBrowser, "tour")).toContain("/alice/hidden-tour");
    expect(await jump(aliceBrowser, "smokes")).toEqual(
      expect.arrayContaining(["/alice/tour/issues/1", "/alice/hidden-tour/issues/1"]),
    );
    expect(await jump(nobody, "settings")).toEqual([]);
    await alice.api.patch("/repos/alice/tour", { has_issues: false });
    expect(await jump(nobody, "#1", "/alice/tour")).toEqual([]);
    await alice.api.patch("/repos/alice/tour", { has_issues: true });
  });

  test("are repositories, issues by number and by words, people, organizations, pages and deeds", async () => {
    expect(await jump(nobody, "alice")).toContain("/alice");
    expect(await jump(nobody, "anvils")).toContain("/anvils");
    expect(await jump(nobody, "anv")).toContain("/anvils");
    expect(await jump(bobBrowser, "li")).toEqual(expect.arrayContaining(["/linus", "/alice"]));
    expect((await jump(bobBrowser, "li")).indexOf("/linus")).toBeLessThan(
      (await jump(bobBrowser, "li")).indexOf("/alice"),
    );
    expect(await jump(nobody, "#1", "/alice/tour")).toEqual(["/alice/tour/issues/1"]);
    expect(await jump(nobody, "1", "/alice/tour")).toContain("/alice/tour/issues/1");
    expect(await jump(nobody, "smok", "/alice/tour")).toContain("/alice/tour/issues/1");
    expect(await jump(nobody, "/READ", "/alice/tour")).toEqual([
      "/alice/tour/find/branch/main?q=READ",
      "/alice/tour/search?q=READ",
    ]);
    expect(await jump(aliceBrowser, "ssh keys")).toContain("/user/settings/keys");
    expect(await jump(aliceBrowser, "> new rep")).toEqual(["/repo/create"]);
    expect(await jump(aliceBrowser, "")).toContain("/alice/hidden-tour");
  });

  test("stays within bounds, whatever is asked", async () => {
    for (const q of ["\0", "%", "_", "'", "\\", "x".repeat(5000), "#", "#99999999999999", "/", ">", "🔥 ".repeat(50)]) {
      for (const place of ["", "/alice/tour"]) {
        expect((await jump(bobBrowser, q, place)).length).toBeLessThan(40);
      }
    }
  });
});

const chromium = findChromium();
describe.skipIf(chromium === null)("the palette in a browser", () => {
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    browser = await startBrowser(chromium ?? "");
    page = await (await openContext(browser, app.url, "alice")).newPage();
    complaints = complaintsOf(page);
  });
  afterAll(() => browser?.close());

  test("opens by key, finds while one types, and goes there", async () => {
    await page.goto(`${app.url}/alice/tour`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("smokes");
    const found = page.getByRole("option", { name: "#1 The forge <i>smokes</i>" });
    await found.waitFor();
    expect(await found.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("hidden");
    await page.getByRole("option", { name: "alice/hidden-tour" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.url}/alice/hidden-tour`);
    expect(complaints).toEqual([]);
  });

  test("and single keys can be turned off", async () => {
    await page.goto(`${app.url}/user/settings/appearance`);
    await page.getByLabel("No shortcuts of single keys").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The appearance is saved").waitFor();
    await page.keyboard.press("?");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    await page.keyboard.press("Control+k");
    expect(await page.locator("dialog[open]").count()).toBe(1);
  });

  test("without script the field searches repositories", async () => {
    const plain = await (await openContext(browser, app.url, null, { javaScriptEnabled: false })).newPage();
    await plain.goto(app.url);
    await plain.getByRole("searchbox", { name: "Search or jump to" }).fill("tour");
    await plain.keyboard.press("Enter");
    await plain.waitForURL(`${app.url}/explore/repos?q=tour`);
  });
});
