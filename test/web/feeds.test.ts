import { beforeAll, describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor, comparable } from "../support/web-visitor.ts";

/** Feeds, and what crawlers, browsers and other programs are told. */

const app = await useTestApp();
const alice = await app.user("alice");
const nobody = new WebVisitor(app.url);
const owner = new WebVisitor(app.url);

beforeAll(async () => {
  for (const [name, fields] of [
    ["tour", { description: 'A "tour" <of> it' }],
    ["closed", { private: true }],
  ] as const) {
    await app.repository(alice, name, { auto_init: true, ...fields });
    await alice.api.post(`/repos/alice/${name}/releases`, { tag_name: "v1", name: "One & <two>", body: "**Bold**" });
  }
  await alice.api.post("/repos/alice/tour/releases", { tag_name: "v2", draft: true });
  await owner.signIn("alice", testPassword);
});

const feeds = ["releases.rss", "releases.atom", "tags.rss", "tags.atom", "rss/branch/main", "atom/branch/main"];

describe("feeds", () => {
  test.each([...feeds.map((path) => `/alice/closed/${path}`), "/alice/closed.rss", "/alice/closed.atom"])(
    "of what is hidden are as absent as what is not there: %s",
    async (path) => {
      const missing = await nobody.get(path.replace("closed", "missing"));
      const { status, text } = await nobody.get(path);
      expect([status, comparable(text).replaceAll("closed", "missing")]).toEqual([404, comparable(missing.text)]);
      const own = await owner.get(path);
      expect([own.status, own.headers.get("cache-control")]).toEqual([200, "no-store"]);
    },
  );

  test.each([...feeds.map((path) => `/alice/tour/${path}`), "/alice/tour.rss", "/alice.atom"])(
    "are XML of their format, and kept by readers: %s",
    async (path) => {
      const { status, headers, text } = await nobody.get(path);
      const format = path.includes("atom") ? "atom" : "rss";
      expect([status, headers.get("content-type")]).toEqual([200, `application/${format}+xml; charset=utf-8`]);
      expect(text).toContain(`href="${app.url}${path}" rel="self"`);
      expect(text).toMatch(/<(?:item|entry)>/);
      const again = await nobody.request("GET", path, { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect(again.status).toBe(304);
    },
  );

  test("name releases with their notes, and no drafts", async () => {
    const { text } = await nobody.get("/alice/tour/releases.atom");
    expect(text).toContain("<title>One &amp; &lt;two&gt;</title>");
    expect(text).toContain("&lt;strong&gt;Bold&lt;/strong&gt;");
    expect(text).toContain(`${app.url}/alice/tour/releases/tag/v1`);
    expect(text).not.toContain("v2");
    expect((await nobody.get("/alice.rss")).text).not.toContain("closed");
    expect((await owner.get("/alice.rss")).text).toContain("closed");
  });

  test("of a path have its commits, and none of a branch that is not there", async () => {
    await alice.api.post("/repos/alice/tour/contents/docs/a.md", { content: "YQ==", message: "In docs" });
    const { text } = await nobody.get("/alice/tour/rss/branch/main/docs");
    expect(text.match(/<item>/g)).toHaveLength(1);
    for (const path of ["rss/branch/none", "rss/branch/"]) {
      expect((await nobody.get(`/alice/tour/${path}`)).status).toBe(404);
    }
  });

  test("are linked by their pages", async () => {
    for (const [page, feed] of [
      ["/alice/tour", "/alice/tour.atom"],
      ["/alice/tour", "/alice/tour/releases.rss"],
      ["/alice/tour/releases", "/alice/tour/releases.atom"],
      ["/alice/tour/tags", "/alice/tour/tags.rss"],
      ["/alice", "/alice.rss"],
    ] as const) {
      expect((await nobody.get(page)).text).toContain(`href="${feed}"`);
    }
  });

  test("go on under the name of today", async () => {
    await app.repository(alice, "before", { auto_init: true });
    await alice.api.patch("/repos/alice/before", { name: "today" });
    expect((await nobody.get("/alice/before.rss")).location).toBe("/alice/today.rss");
  });
});

describe("badges", () => {
  test("tell one thing of a repository, to those who may know it", async () => {
    for (const [name, value] of [
      ["release", "v1"],
      ["issues", "0"],
      ["issues/open", "0"],
      ["pulls", "0"],
      ["pulls/open", "0"],
      ["stars", "0"],
    ] as const) {
      const { status, headers, text } = await nobody.get(`/alice/tour/badges/${name}.svg`);
      expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
      expect(text).toMatch(new RegExp(`<title>[a-z ]+: ${value}</title>`));
      expect((await nobody.get(`/alice/closed/badges/${name}.svg`)).status).toBe(404);
    }
  });

  test("have hostile names of tags as text", async () => {
    await app.repository(alice, "odd", { auto_init: true });
    await alice.api.post("/repos/alice/odd/releases", { tag_name: '<script>"&' });
    const { text } = await nobody.get("/alice/odd/badges/release.svg");
    expect(text).toContain("<title>release: &lt;script&gt;&quot;&amp;</title>");
  });
});

describe("other programs", () => {
  test("are told what a link is about, and nothing of what is hidden", async () => {
    const { text } = await nobody.get("/alice/tour");
    expect(text).toContain('<meta property="og:title" content="alice/tour">');
    expect(text).toContain(`<meta property="og:url" content="${app.url}/alice/tour">`);
    expect(text).toContain('<meta property="og:description" content="A &quot;tour&quot; &lt;of&gt; it">');
    expect((await nobody.get("/alice/closed")).text).not.toContain("og:");
    expect((await nobody.get("/alice/tour/releases/tag/v1")).text).toContain('og:description" content="**Bold**"');
  });

  test("find public repositories in the sitemap, whoever asks", async () => {
    const robots = await nobody.get("/robots.txt");
    expect(robots.text).toContain(`Sitemap: ${app.url}/sitemap.xml`);
    for (const visitor of [owner, nobody]) {
      const index = await visitor.get("/sitemap.xml");
      expect([index.status, index.text]).toEqual([200, expect.stringContaining(`<loc>${app.url}/sitemap/1.xml</loc>`)]);
      const { text, headers } = await visitor.get("/sitemap/1.xml");
      expect(headers.get("content-type")).toBe("application/xml");
      expect(text).toContain(`<loc>${app.url}/alice/tour</loc>`);
      expect(text).toContain(`<loc>${app.url}/alice/tour/releases</loc>`);
      expect(text).not.toContain("closed");
    }
    for (const file of ["0.xml", "x.xml", "1", "1.xml.gz", "999999.xml"]) {
      expect((await nobody.get(`/sitemap/${file}`)).status).toBe(404);
    }
  });

  test("can search, and put the server on a home screen", async () => {
    const search = await nobody.get("/opensearch.xml");
    expect(search.text).toContain(`template="${app.url}/explore/repos?q={searchTerms}"`);
    const manifest = JSON.parse((await nobody.get("/manifest.json")).text) as { icons: { src: string }[] };
    const icon = await nobody.get(manifest.icons[0]?.src ?? "");
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    const { text } = await nobody.get("/");
    expect(text).toContain('href="/manifest.json"');
    expect(text).toContain('href="/opensearch.xml"');
  });
});
