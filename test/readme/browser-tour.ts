import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { complaintsOf, findChromium, startBrowser } from "../support/browser.ts";
import { waitLimitMs } from "../support/limits.ts";

/** Does in a browser what the tour says, with the names that are bold there, in their order. */
export async function tourInBrowser(url: string, section: string): Promise<void> {
  const chromium = findChromium();
  if (chromium === null) {
    console.log("LEFT OUT: there is no chromium to go on with the tour in");
    return;
  }
  const names = [...section.matchAll(/\*\*(.+?)\*\*/g)].map(([, name = ""]) => name);
  const [, user = "", password = ""] = /name is `(\S+)`, the password `(\S+)`/.exec(section) ?? [];
  const [, title = ""] = /write "([^"]+)" as its title/.exec(section) ?? [];
  const [, key = ""] = /The key `(\w)` opens it in the editor/.exec(section) ?? [];
  const next = () => names.shift() ?? "(the tour has no more names)";
  const complaints: string[] = [];

  await using stack = new AsyncDisposableStack();
  const browser = await startBrowser(chromium);
  stack.defer(() => browser.close());
  const open = async (path: string): Promise<Page> => {
    const context = await browser.newContext();
    context.setDefaultTimeout(waitLimitMs);
    const page = await context.newPage();
    page.on("close", () => complaints.push(...heard));
    const heard = complaintsOf(page);
    await page.goto(url + path);
    return page;
  };
  const link = (page: Page, name: string) => page.getByRole("link", { name }).first().click();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  const page = await open("/smith/tour");
  await page.getByText("More to come.").waitFor();
  const signIn = next();
  await link(page, signIn);
  await page.getByLabel("Name").fill(user);
  await page.getByLabel("Password").fill(password);
  await button(page, signIn);
  await page.waitForURL("**/smith/tour");

  await page.locator("#repository-tabs").getByRole("link", { name: next() }).click();
  await link(page, next());
  await page.getByRole("link", { name: next(), exact: true }).waitFor();
  await link(page, next());
  await page.getByLabel("Title").fill(title);
  await button(page, next());
  await page.getByRole("heading", { name: title }).waitFor();

  const second = await open(new URL(page.url()).pathname);
  await second.waitForResponse((response) => response.url().includes("/-/events"));
  await page.getByLabel("Comment", { exact: true }).fill("Oil it");
  await button(page, next());
  await second.getByText("Oil it").waitFor();

  await page.locator("#repository-tabs").getByRole("link", { name: next() }).click();
  await page.getByRole("link", { name: next(), exact: true }).first().click();
  await page.waitForURL("**/README.md");
  await page.keyboard.press(key);
  const editor = page.locator(".cm-content");
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Changed in a browser.");
  await button(page, next());
  await page.getByText("Changed in a browser.").first().waitFor();
  expect(names).toEqual([]);
  await Promise.all([page.close(), second.close()]);
  expect(complaints).toEqual([]);
}
