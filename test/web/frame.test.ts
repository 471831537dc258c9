import { describe, expect, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "tour", { description: "A tour" });
await app.repository(alice, "closed", { private: true });

async function signedIn(): Promise<WebVisitor> {
  const visitor = new WebVisitor(app.url);
  await visitor.signIn("alice", testPassword);
  return visitor;
}

describe("what a form did", () => {
  test("is told once, on the page that follows", async () => {
    const visitor = await signedIn();
    const { location } = await visitor.submit("/user/settings/notifications", { choice: "disabled" });
    expect(location).toBe("/user/settings/notifications");
    expect((await visitor.get(location)).text).toContain("<p>The choice is saved</p>");
    expect((await visitor.get(location)).text).not.toContain("The choice is saved");
  });

  test("is not told by a cookie that this server did not sign", async () => {
    const text = Buffer.from("You won").toString("base64url");
    for (const value of [text, `${text}.`, `${text}.${"A".repeat(43)}`]) {
      const page = await fetch(`${app.url}/`, { headers: { cookie: `flash=${value}` } });
      expect(await page.text()).not.toContain("You won");
    }
  });
});

describe("the appearance", () => {
  test("is the system's, until a user chooses", async () => {
    const visitor = await signedIn();
    expect((await visitor.get("/")).text).toContain('<html lang="en">');
    await visitor.submit("/user/settings/appearance", { theme: "dark", contrast: "more" });
    expect((await visitor.get("/")).text).toContain('<html lang="en" data-theme="dark" data-contrast="more">');
    expect((await alice.api.get("/user/settings")).body).toMatchObject({ theme: "dark-contrast" });
    await visitor.submit("/user/settings/appearance", { theme: "<b>", contrast: "" });
    expect((await visitor.get("/")).text).toContain('<html lang="en">');
  });

  test("follows what clients of the family store", async () => {
    await alice.api.patch("/user/settings", { theme: "gitea-light" });
    expect((await (await signedIn()).get("/")).text).toContain('<html lang="en" data-theme="light">');
    await alice.api.patch("/user/settings", { theme: "auto" });
  });
});

test("times are in the zone that the browser tells, else in UTC", async () => {
  for (const [cookie, zone] of [
    ["zone=Europe%2FBerlin", "Europe/Berlin"],
    ["zone=Nowhere", "UTC"],
    ["zone=%", "UTC"],
    ["", "UTC"],
  ] as const) {
    const page = await fetch(`${app.url}/`, { headers: { cookie } });
    expect(await page.text()).toMatch(new RegExp(`title="[^"]* ${zone}">now</time>`));
  }
});

test("pages are compressed for who takes that, and are the same then", async () => {
  const read = async (accepted: string) => {
    const page = await fetch(`${app.url}/alice/tour`, { headers: { "accept-encoding": accepted }, decompress: false });
    return {
      coding: page.headers.get("content-encoding"),
      vary: page.headers.get("vary"),
      bytes: new Uint8Array(await page.arrayBuffer()),
    };
  };
  // Each page says when it was read.
  const untimed = (bytes: Uint8Array) =>
    Buffer.from(bytes)
      .toString()
      .replace(/ data-at="\d+"/, "");
  const [plain, gzip, zstd] = [await read("identity"), await read("gzip"), await read("gzip, zstd")];
  expect([plain.coding, gzip.coding, zstd.coding]).toEqual([null, "gzip", "zstd"]);
  expect(plain.vary).toBe("Cookie, Accept-Encoding");
  expect(untimed(Bun.gunzipSync(gzip.bytes))).toBe(untimed(plain.bytes));
  expect(untimed(Bun.zstdDecompressSync(zstd.bytes))).toBe(untimed(plain.bytes));
  expect(gzip.bytes.length).toBeLessThan(plain.bytes.length);
});

test("style, icons and script come from this server, and a browser keeps what never changes", async () => {
  const { text } = await new WebVisitor(app.url).get("/");
  const [style = "", icons = "", script = ""] = [
    /<link rel="stylesheet" href="([^"]+)">/,
    /<use href="([^"#]+)#search"\/>/,
    /<script type="module" src="([^"]+)"><\/script>/,
  ].map((pattern) => pattern.exec(text)?.[1]);
  for (const [address, type] of [
    [style, "text/css; charset=utf-8"],
    [icons, "image/svg+xml"],
  ] as const) {
    const { headers, text: content } = await new WebVisitor(app.url).get(address);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(content.length).toBeGreaterThan(5000);
  }
  const answer = await new WebVisitor(app.url).get(script);
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(answer.text).toContain("customElements.define");
});

describe("the list of repositories", () => {
  test("is searched, narrowed and sorted by its address", async () => {
    await app.repository(alice, "zebra", { description: "Stripes", template: true });
    const names = async (query: string) =>
      [...(await new WebVisitor(app.url).get(`/explore/repos${query}`)).text.matchAll(/alice\/<b>([^<]*)<\/b>/g)].map(
        ([, name]) => name,
      );
    expect(await names("?sort=name")).toEqual(["tour", "zebra"]);
    expect(await names("?q=stripes")).toEqual(["zebra"]);
    expect(await names("?q=nothing-like-it")).toEqual([]);
    expect(await names("?kind=templates")).toEqual(["zebra"]);
    expect(await names("?kind=else&sort=else&page=0")).toEqual(["zebra", "tour"]);
    expect((await new WebVisitor(app.url).get("/explore/repos?q=%22%3E%3Cb%3E")).text).toContain(
      'value="&quot;&gt;&lt;b&gt;"',
    );
  });

  test("has what is private only for those who may see it", async () => {
    expect((await new WebVisitor(app.url).get("/explore/repos?q=closed")).text).not.toContain("<b>closed</b>");
    expect((await (await signedIn()).get("/explore/repos?q=closed")).text).toContain("<b>closed</b>");
  });
});
