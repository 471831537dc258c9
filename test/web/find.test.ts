import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { complaintsOf, findChromium, openContext, startBrowser } from "../support/browser.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const nobody = new WebVisitor(app.url);
const encode = (text: string) => Buffer.from(text).toString("base64");
await app.repository(alice, "tour", { auto_init: true });
await app.repository(alice, "empty");
await app.repository(alice, "hidden", { private: true, auto_init: true });
const contents = {
  "src/main.ts": "one\ntwo\nconst café = '<b>needle</b> Needle';\nfour\nfive\nsix\nseven\neight\nneedle\n",
  "src/odd <i>&amp; name #1?.ts": "hay\n",
  "docs/needle.md": "needles\n",
};
const files = Object.entries(contents).map(([path, text]) => ({ operation: "create", path, content: encode(text) }));
expect((await alice.api.post("/repos/alice/tour/contents", { message: "Files", files })).status).toBe(201);

const mainOf = (text: string) => text.slice(text.indexOf("<main"), text.indexOf("</main>"));
async function get(path: string): Promise<{ status: number; page: string }> {
  const { status, text } = await nobody.get(path);
  return { status, page: mainOf(text) };
}

describe("finding a file", () => {
  test("is for those who read the code, in what there is", async () => {
    for (const path of [
      "hidden/find/branch/main",
      "hidden/search?q=x",
      "tour/find/branch/none",
      "empty/find/branch/main",
    ]) {
      expect([path, (await get(`/alice/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await get("/alice/tour/find/branch/main/src")).status).toBe(404);
  });

  test("lists the files that have these letters in their order, and marks them", async () => {
    const { page } = await get("/alice/tour/find/branch/main?q=mai");
    expect(page).toContain('href="/alice/tour/src/branch/main/src/main.ts"');
    expect(page).toContain("src/<b>mai</b>n.ts");
    expect(page).not.toContain("needle.md");
    expect((await get("/alice/tour/find/branch/main?q=zzz")).page).toContain("No such file");
    const odd = (await get("/alice/tour/find/branch/main?q=odd")).page;
    expect(odd).toContain('href="/alice/tour/src/branch/main/src/odd%20%3Ci%3E%26amp%3B%20name%20%231%3F.ts"');
    expect(odd).toContain("src/<b>odd</b> &lt;i&gt;&amp;amp; name #1?.ts");
  });

  test("gives the script all paths once", async () => {
    const address = "/alice/tour/find/branch/main?list=1";
    const first = await nobody.get(address);
    expect(JSON.parse(first.text)).toEqual([
      "README.md",
      "docs/needle.md",
      "src/main.ts",
      "src/odd <i>&amp; name #1?.ts",
    ]);
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await nobody.request("GET", address, { headers })).status).toBe(304);
  });

  test("gives all paths to somebody who is signed in, and nothing keeps them", async () => {
    const browser = new WebVisitor(app.url);
    await browser.signIn("alice", testPassword);
    const { headers } = await browser.get("/alice/tour/find/branch/main?list=1");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("search in files", () => {
  test("shows the lines that match with those around them, and marks what matches", async () => {
    const { page } = await get("/alice/tour/search?q=needle");
    expect(page).toContain("2 files");
    expect(page).toContain('<a href="/alice/tour/src/branch/main/src/main.ts#L3">3</a>');
    expect(page).toContain("const café = &#x27;&lt;b&gt;<b>needle</b>&lt;/b&gt; <b>Needle</b>&#x27;;");
    expect(page).toContain('<tr class="gap"><td colspan="2">⋯</td></tr>');
    expect(page).not.toContain("#L6");
    expect(page).toMatch(/path=\*\.md"?[^>]*>\.md/);
  });

  test("is narrowed by paths, words, case and expressions", async () => {
    const shown = async (query: string) =>
      [...(await get(`/alice/tour/search?${query}`)).page.matchAll(/dir="auto">([^<]*)<\/a><\/h2>/g)].map(
        ([, path]) => path,
      );
    expect(await shown("q=needle&path=docs")).toEqual(["docs/needle.md"]);
    expect(await shown("q=needle&path=*.ts")).toEqual(["src/main.ts"]);
    expect(await shown("q=needle&word=1")).toEqual(["src/main.ts"]);
    expect(await shown("q=NEEDLE&exact=1")).toEqual([]);
    expect(await shown("q=^needles?$&regex=1")).toEqual(["docs/needle.md", "src/main.ts"]);
    expect(await shown("q=needle&ref=main")).toHaveLength(2);
    expect((await get("/alice/empty/search?q=x")).page).toContain("Nothing was found");
  });

  test("says what is wrong with an expression at its field, and keeps it", async () => {
    const { status, page } = await get("/alice/tour/search?q=%28%3Cb%3E&regex=1&path=src&word=1");
    expect(status).toBe(422);
    expect(page).toContain('value="(&lt;b&gt;" aria-label="Search in files"');
    expect(page).toContain('aria-invalid="true" aria-describedby="problem"');
    expect(page).toContain('value="src"');
    expect(page).toContain('name="word" value="1" checked');
    expect((await get("/alice/tour/search?q=x&ref=none")).status).toBe(404);
    expect((await get(`/alice/tour/search?q=${"ä".repeat(900)}`)).status).toBe(422);
  });
});

const chromium = findChromium();
describe.skipIf(chromium === null)("the file finder in a browser", () => {
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    browser = await startBrowser(chromium ?? "");
    page = await (await openContext(browser, app.url, null)).newPage();
    complaints = complaintsOf(page);
  });
  afterAll(() => browser?.close());

  test("filters while one types, also what the page did not show, and opens a file", async () => {
    await page.goto(`${app.url}/alice/tour`);
    await page.keyboard.press("t");
    await page.waitForURL(`${app.url}/alice/tour/find/branch/main`);
    const field = page.getByRole("searchbox", { name: "Find a file" });
    await field.fill("zzz");
    await page.getByText("No such file").waitFor();
    await field.fill("od1");
    await page.locator(".found-files a", { hasText: "odd <i>" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/src\/branch\/main\/src\/odd/);
    expect(complaints).toEqual([]);
  });
});
