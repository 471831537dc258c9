import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { waitUntilIdle } from "../../src/domain/server/wait-until-idle.ts";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { openPull, writeFile } from "../support/pulls.ts";
import { TestApp, type TestUser } from "../support/test-app.ts";

const chromium = findChromium();
if (chromium === null) {
  console.log("LEFT OUT: there is no chromium to review with");
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");
const changed = `${lines(1, 19)}twenty\n${lines(21, 40)}`;
const site = "alice/site";

describe.skipIf(chromium === null)("a review in a real browser", () => {
  let app: TestApp;
  let alice: TestUser;
  let browser: Browser;
  let reviewer: Page;
  let author: Page;
  const complaints: string[] = [];
  let opened = 0;

  beforeAll(async () => {
    app = await TestApp.start();
    alice = await app.user("alice");
    await app.user("bob");
    await app.repository(alice, "site", { auto_init: true });
    await alice.api.put(`/repos/${site}/collaborators/bob`, { permission: "write" });
    await writeFile(alice, site, { branch: "main" }, "a.txt", lines(1, 40));
    browser = await startBrowser(chromium ?? "");
    reviewer = await (await openContext(browser, app.url, "bob")).newPage();
    author = await (await openContext(browser, app.url, "alice")).newPage();
    for (const page of [reviewer, author]) {
      const said = complaintsOf(page);
      said.push = (...more) => complaints.push(...more);
    }
  });

  afterAll(async () => {
    await browser?.close();
    await app?.[Symbol.asyncDispose]();
  });

  async function open() {
    const head = `topic-${opened++}`;
    await writeFile(alice, site, { new_branch: head }, "a.txt", changed);
    const { number } = await openPull(alice, site, { head });
    const page = `${app.url}/${site}/pulls/${number}`;
    return { head, number, page, files: `${page}/files` };
  }
  const number = (page: Page, line: number) => page.locator(`.diff > tbody > tr > td:nth-child(2)[data-n="${line}"]`);
  /** The lines of a.txt that the first conversation stands below. */
  const above = (page: Page, text: string) =>
    page.locator("tr.t", { hasText: text }).evaluate((row) => {
      let at = row.previousElementSibling;
      while (at?.classList.contains("t") === true) {
        at = at.previousElementSibling;
      }
      return at?.querySelectorAll("td")[1]?.getAttribute("data-n");
    });

  test("a line is commented on in place, a range by dragging, and typed text survives what is sent beside it", async () => {
    const { files } = await open();
    await reviewer.goto(files);
    await number(reviewer, 18).click();
    await reviewer.locator("form.line-form textarea").fill("Half a thought");
    await number(reviewer, 19).hover();
    await reviewer.mouse.down();
    await number(reviewer, 21).hover();
    await reviewer.mouse.up();
    const form = reviewer.locator('form.line-form[data-on$="R19-21"]');
    await form.locator("textarea").fill("Three lines");
    await form.getByRole("button", { name: "Begin a review" }).click();
    await reviewer.locator(".cm", { hasText: "Three lines" }).waitFor();
    expect(await above(reviewer, "Three lines")).toBe("21");
    expect(await reviewer.locator("form.line-form textarea").inputValue()).toBe("Half a thought");
    expect(await reviewer.locator(".review summary .count").innerText()).toBe("1");
    expect(reviewer.url()).toBe(files);
  });

  test("keys comment, go from conversation to conversation, mark a file and finish", async () => {
    const { files, page } = await open();
    await reviewer.goto(files);
    await number(reviewer, 20).hover();
    await reviewer.keyboard.press("c");
    const text = reviewer.locator("form.line-form textarea");
    await text.waitFor();
    await reviewer.keyboard.type("By keys");
    await reviewer.getByRole("button", { name: "Comment now" }).click();
    await reviewer.locator(".cm", { hasText: "By keys" }).waitFor();
    expect(await reviewer.getByText("Pending").count()).toBe(0);
    await reviewer.evaluate("document.activeElement?.blur()");
    await reviewer.keyboard.press("]");
    expect(await reviewer.evaluate<string>("document.activeElement?.textContent")).toBe("Reply");
    await reviewer.evaluate("document.activeElement?.blur()");
    await reviewer.keyboard.press("v");
    await reviewer.locator("button.viewed[aria-pressed=true]").waitFor();
    expect(await reviewer.locator("#viewed-count").innerText()).toBe("1 of 1 viewed");
    await reviewer.evaluate("document.activeElement?.blur()");
    await reviewer.keyboard.press("a");
    await reviewer.locator(".review textarea").fill("Well done");
    await reviewer.getByLabel("Approve").check();
    await reviewer.getByRole("button", { name: "Send the review" }).click();
    await reviewer.waitForURL(page);
    expect(await reviewer.locator("main").innerText()).toContain("approved these changes");
  });

  test("a rebase under a pending review loses nothing, and the drafts stand on their lines", async () => {
    const { files, head } = await open();
    await reviewer.goto(files);
    await number(reviewer, 20).click();
    await reviewer.locator("form.line-form textarea").fill("A draft");
    await reviewer.getByRole("button", { name: "Begin a review" }).click();
    await reviewer.locator(".cm", { hasText: "A draft" }).waitFor();
    await number(reviewer, 21).click();
    await reviewer.locator("form.line-form textarea").fill("Written during the rebase");
    // The author puts the branch onto a new base, where three lines are before these.
    await writeFile(alice, site, { branch: "main" }, "a.txt", `a\nb\nc\n${lines(1, 40)}`);
    const rebased = await writeFile(alice, site, { new_branch: `${head}-new` }, "a.txt", `a\nb\nc\n${changed}`);
    const move = { new_commit_id: rebased, force: true };
    expect((await alice.api.put(`/repos/${site}/branches/${head}`, move)).status).toBe(204);
    await waitUntilIdle(app.forge, 60_000);
    await reviewer.getByRole("button", { name: "Add to your review" }).click();
    await reviewer.locator(".cm", { hasText: "Written during the rebase" }).waitFor();
    expect(await above(reviewer, "A draft")).toBe("23");
    expect(await above(reviewer, "Written during the rebase")).toBe("24");
    await author.goto(files);
    expect(await author.locator("main").innerText()).not.toContain("A draft");
    await writeFile(alice, site, { branch: "main" }, "a.txt", lines(1, 40));
  });

  test("a merge while another reviews keeps what the reviewer typed, and their comments are sent", async () => {
    const { files, page, number: index } = await open();
    await reviewer.goto(files);
    await number(reviewer, 20).click();
    await reviewer.locator("form.line-form textarea").fill("Before the merge");
    await reviewer.getByRole("button", { name: "Begin a review" }).click();
    await reviewer.locator(".cm", { hasText: "Before the merge" }).waitFor();
    await reviewer.locator(".review > summary").click();
    await reviewer.locator(".review textarea").fill("Looks right");
    await reviewer.getByLabel("Approve").check();
    await author.goto(page);
    const merged = await alice.api.post(`/repos/${site}/pulls/${index}/merge`, { Do: "merge" });
    expect(merged.status).toBe(200);
    await reviewer.getByRole("button", { name: "Send with 1 draft" }).click();
    await reviewer.locator(".note.bad", { hasText: "is closed" }).waitFor();
    expect(await reviewer.locator(".review textarea").inputValue()).toBe("Looks right");
    await reviewer.getByRole("radio", { name: /^Comment/ }).check();
    await reviewer.getByRole("button", { name: "Send with 1 draft" }).click();
    await reviewer.waitForURL(page);
    await author.reload();
    expect(await author.locator("main").innerText()).toContain("Before the merge");
  });

  test("nothing of it complains", () => {
    expect(complaints.filter((one) => !one.includes("status of 4"))).toEqual([]);
  });
});
