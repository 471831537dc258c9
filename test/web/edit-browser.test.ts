import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { until } from "../support/until.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to edit with");
}

describe.skipIf(chromium === null)("in a real browser", () => {
  let app: TestApp;
  let alice: TestUser;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let edit: string;

  beforeAll(async () => {
    app = await TestApp.start();
    alice = await app.user("alice");
    await app.repository(alice, "tour", { auto_init: true });
    const content = btoa("export const one = 1;\n");
    expect((await alice.api.post("/repos/alice/tour/contents/src/one.ts", { content })).status).toBe(201);
    edit = `${app.url}/alice/tour/_edit/main/src/one.ts`;
    browser = await startBrowser(chromium ?? "");
    page = await (await openContext(browser, app.url, "alice")).newPage();
    complaints = complaintsOf(page);
  });

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function read(path: string): Promise<string | null> {
    const { status, body } = await alice.api.get<{ content: string }>(`/repos/alice/tour/contents/${path}`);
    return status === 200 ? Buffer.from(body.content, "base64").toString() : null;
  }

  const editor = () => page.locator("code-editor .cm-content");

  test("a text is edited with colours, kept over a reload, and committed with the keyboard alone", async () => {
    await page.goto(edit);
    // The grammar comes after the editor.
    await editor().locator("span", { hasText: "export" }).first().waitFor();
    await editor().focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("if (one) {\ng h /");
    await page.keyboard.press("Tab");
    const typed = await page.locator("code-editor textarea").inputValue();
    expect(typed).toStartWith("export const one = 1;\nif (one) {\n");
    expect(page.url()).toBe(edit);
    await until("the text is kept", () => page.evaluate("sessionStorage.length > 0"));
    await page.reload();
    await page.getByRole("button", { name: "Restore it" }).click();
    expect(await editor().innerText()).toContain("if (one) {");
    await editor().focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await page.evaluate<string>("document.activeElement?.id")).toBe("summary");
    await page.keyboard.type("one: ask for it");
    await editor().focus();
    const loaded = page.waitForURL("**/src/branch/main/src/one.ts");
    await page.keyboard.press("Control+Enter");
    await loaded;
    expect(await read("src/one.ts")).toBe(typed);
    await page.goto(edit);
    expect(await page.getByRole("button", { name: "Restore it" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("Markdown is shown in place", async () => {
    await page.goto(`${app.url}/alice/tour/_new/main?filename=a.md&value=%23+Hello`);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("heading", { name: "Hello" }).waitFor();
    expect(await page.locator("code-editor").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Text", exact: true }).click();
    expect(await editor().innerText()).toBe("# Hello");
    expect(complaints).toEqual([]);
  });

  test("files that are refused stay chosen, and are sent again", async () => {
    await page.goto(`${app.url}/alice/tour/_upload/main`);
    const file = { name: "b.txt", mimeType: "text/plain", buffer: Buffer.from("b") };
    await page.getByLabel("Files", { exact: true }).setInputFiles([file, { ...file, name: "c.txt" }]);
    await page.getByRole("button", { name: "Remove c.txt" }).click();
    await page.getByLabel("Folder", { exact: true }).fill(".git");
    await page.getByRole("button", { name: "Commit the files" }).click();
    await page.getByText("is not allowed in it").waitFor();
    complaints.length = 0;
    await page.getByLabel("Folder", { exact: true }).fill("up");
    const loaded = page.waitForURL("**/src/branch/main/up/b.txt");
    await page.getByRole("button", { name: "Commit the files" }).click();
    await loaded;
    expect([await read("up/b.txt"), await read("up/c.txt")]).toEqual(["b", null]);
    expect(await page.locator("main").innerText()).toContain("Committed");
    expect(complaints).toEqual([]);
  });

  test("several files are collected and committed at once", async () => {
    await page.goto(edit);
    await editor().focus();
    await page.keyboard.type("// in a set\n");
    await page.getByRole("button", { name: "Add to a set of files" }).click();
    await page.goto(`${app.url}/alice/tour/_new/main?filename=set.txt&value=new`);
    await page.getByRole("button", { name: "Add to a set of files" }).click();
    await page.getByRole("link", { name: "2 files in the set" }).click();
    await page.getByRole("link", { name: "src/one.ts" }).waitFor();
    await page.getByLabel("Summary").fill("Two at once");
    await page.getByRole("button", { name: "Commit the files" }).click();
    await page.waitForURL("**/alice/tour/src/branch/main");
    expect(await read("src/one.ts")).toStartWith("// in a set\n");
    expect(await read("set.txt")).toBe("new");
    await page.goto(edit);
    expect(await page.getByRole("link", { name: "in the set" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("all of it works without script", async () => {
    const context = await openContext(browser, app.url, "alice", { javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${app.url}/alice/tour/_new/main/docs`);
    await plain.getByLabel("Path of the file").fill("docs/plain.md");
    await plain.getByLabel("Text of the file").fill("\n# Plain\n");
    await plain.getByRole("button", { name: "Preview" }).click();
    expect(await plain.locator("#preview h1").innerText()).toBe("Plain");
    await plain.getByRole("button", { name: "Text", exact: true }).click();
    await plain.getByLabel("Commit to a new branch").check();
    await plain.getByLabel("Start a pull request").uncheck();
    await plain.getByRole("button", { name: "Commit the new file" }).click();
    expect(plain.url()).toBe(`${app.url}/alice/tour/src/branch/alice-patch-1/docs/plain.md`);
    expect(await read("docs/plain.md?ref=alice-patch-1")).toBe("\n# Plain\n");
    await context.close();
  });
});
