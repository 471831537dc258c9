import { beforeAll, describe, expect, test } from "bun:test";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, comparable } from "../support/web-visitor.ts";

/** What a browser shows of a wiki. */

const app = await useTestApp();
const alice = await app.user("alice");
const nobody = new WebVisitor(app.url);

const add = (repository: string, title: string, text: string) =>
  alice.api.post(`/repos/alice/${repository}/wiki/new`, {
    title,
    content_base64: Buffer.from(text).toString("base64"),
  });

beforeAll(async () => {
  for (const [name, fields] of [
    ["tour", {}],
    ["closed", { private: true }],
    ["empty", {}],
    ["off", {}],
  ] as const) {
    await app.repository(alice, name, fields);
  }
  await add(
    "tour",
    "Home",
    "# Hello\n\n[next](Second-Page) ![a picture](pictures/shot.png) <script>alert(1)</script>\n",
  );
  await add("tour", "Second Page", "Second\n");
  await add("tour", "100% <b>Free", "Free\n");
  await add("tour", "_Sidebar", "The **side**\n");
  await add("tour", "_Footer", "The end\n");
  await add("closed", "Home", "Secret\n");
  await alice.api.patch("/repos/alice/off", { has_wiki: false });
  using work = await GitWorkTree.create();
  await work.git("pull", "-q", `${app.url}/alice/tour.wiki.git`, "main");
  await work.write("pictures/shot.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  await work.write("docs/deep/Setup.md", "# Set up\n");
  await work.write("page.html", "<script>alert(1)</script>\n");
  await work.commit("Pictures");
  await work.push(`${app.url}/alice/tour.wiki.git`, alice.token, "main");
});

describe("a wiki that may not be seen", () => {
  test.each(["", "/Home", "/_pages", "/raw/Home.md", "/Nothing"])(
    "is answered as what is not there: %s",
    async (rest) => {
      const missing = await nobody.get(`/alice/missing/wiki${rest}`);
      for (const name of ["closed", "off"]) {
        const { status, text } = await nobody.get(`/alice/${name}/wiki${rest}`);
        expect([name, status, comparable(text)]).toEqual([name, 404, comparable(missing.text)]);
      }
    },
  );

  test("is seen by its owner", async () => {
    const owner = new WebVisitor(app.url);
    await owner.signIn("alice", testPassword);
    expect((await owner.get("/alice/closed/wiki")).text).toContain("Secret");
  });
});

test("the first page is Home, with what stands beside all pages", async () => {
  const { status, text } = await nobody.get("/alice/tour/wiki");
  expect(status).toBe(200);
  expect(text).toContain("Hello");
  expect(text).toContain(`href="/alice/tour/wiki/Second-Page"`);
  expect(text).toContain(`src="${app.url}/alice/tour/wiki/raw/pictures/shot.png"`);
  expect(text).toContain("The <strong>side</strong>");
  expect(text).toContain("The end");
  expect(text).not.toContain("alert(1)");
  expect((await nobody.get("/alice/tour")).text).toContain('<a href="/alice/tour/wiki">Wiki</a>');
});

test("every page is read at the address that the API tells", async () => {
  const { body } = await alice.api.get<{ title: string; html_url: string }[]>("/repos/alice/tour/wiki/pages");
  expect(body.length).toBe(5);
  for (const { title, html_url } of body) {
    const { status, text } = await nobody.get(html_url.replace(app.url, ""));
    expect([title, status]).toEqual([title, 200]);
    expect(text).toContain(`dir="auto">${title.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</h1>`);
  }
  expect((await nobody.get("/alice/tour/wiki/Nothing")).status).toBe(404);
});

test("a wiki elsewhere is a link", async () => {
  const outside = { has_wiki: true, external_wiki: { external_wiki_url: "https://wiki.example.org/tour" } };
  await app.repository(alice, "outside");
  await alice.api.patch("/repos/alice/outside", outside);
  expect((await nobody.get("/alice/outside")).text).toContain(
    '<a rel="nofollow" href="https://wiki.example.org/tour">',
  );
  expect((await nobody.get("/alice/outside/wiki")).status).toBe(404);
  expect((await nobody.get("/alice/off")).text).not.toContain("Wiki");
});

test("a page in a folder is read at its path, and a file leads to its bytes", async () => {
  for (const path of ["docs/deep/Setup", "docs/deep/Setup.md"]) {
    expect((await nobody.get(`/alice/tour/wiki/${path}`)).text).toContain("Set up</h1>");
  }
  expect((await nobody.get("/alice/tour/wiki/_pages?q=set%20up")).text).toContain(
    'href="/alice/tour/wiki/docs/deep/Setup"',
  );
  expect((await nobody.get("/alice/tour/wiki/page.html")).location).toBe("/alice/tour/wiki/raw/page.html");
});

test("all pages are listed, and none where there are none", async () => {
  const { text } = await nobody.get("/alice/tour/wiki/_pages");
  expect(text).toContain('href="/alice/tour/wiki/100%2525-%253Cb%253EFree" dir="auto">100% &lt;b&gt;Free</a>');
  expect(text).toContain(`${app.url}/alice/tour.wiki.git`);
  const empty = await nobody.get("/alice/empty/wiki");
  expect([empty.status, empty.text]).toEqual([200, expect.stringContaining("The wiki has no pages yet")]);
});

test("other files are bytes that do nothing in a browser", async () => {
  const picture = await fetch(`${app.url}/alice/tour/wiki/raw/pictures/shot.png`);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
  const page = await fetch(`${app.url}/alice/tour/wiki/raw/page.html`);
  expect(page.headers.get("content-type")).toStartWith("text/plain");
  for (const { headers } of [picture, page]) {
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  for (const path of ["", "nothing.png", "pictures"]) {
    expect([path, (await fetch(`${app.url}/alice/tour/wiki/raw/${path}`)).status]).toEqual([path, 404]);
  }
});
