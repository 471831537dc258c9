import { describe, expect, spyOn, test } from "bun:test";
import { testPassword, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebVisitor } from "../support/web-visitor.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const stranger = new WebVisitor(app.url);

async function makeRepository(name: string, description = "A tour"): Promise<void> {
  await app.repository(alice, name, { description });
  const file = { content: Buffer.from("# Tour\n").toString("base64"), message: "Begin" };
  expect((await alice.api.post(`/repos/alice/${name}/contents/README.md`, file)).status).toBe(201);
}

const finding = spyOn(app.forge.git.revisions, "find");

/** Asks until the page is not made anew: something may be written meanwhile, such as when a token was used last. */
async function untilKept(path: string, headers: Record<string, string> = {}): Promise<void> {
  await until(`${path} is kept`, async () => {
    finding.mockClear();
    expect((await stranger.request("GET", path, { headers })).status).toBe(200);
    return finding.mock.calls.length === 0;
  });
}

describe("a page that strangers were shown", () => {
  test("is not shown to those who may not see it any more", async () => {
    await makeRepository("closing");
    await untilKept("/alice/closing");
    await alice.api.patch("/repos/alice/closing", { private: true });
    expect((await stranger.get("/alice/closing")).status).toBe(404);
    await alice.api.patch("/repos/alice/closing", { private: false });
    expect((await stranger.get("/alice/closing")).status).toBe(200);
  });

  test("does not name what became private since", async () => {
    await makeRepository("parent");
    await bob.api.post("/repos/alice/parent/forks", {});
    await untilKept("/bob/parent");
    expect((await stranger.get("/bob/parent")).text).toContain("alice/parent");
    await alice.api.patch("/repos/alice/parent", { private: true });
    expect((await stranger.get("/bob/parent")).text).not.toContain("alice/parent");
  });

  test("is made anew after any change", async () => {
    await makeRepository("changing", "Before");
    await untilKept("/alice/changing");
    expect((await stranger.get("/alice/changing")).text).toContain("Before");
    await alice.api.patch("/repos/alice/changing", { description: "After" });
    expect((await stranger.get("/alice/changing")).text).toContain("After");
    await alice.api.post("/repos/alice/changing/issues", { title: "One" });
    expect((await stranger.get("/alice/changing")).text).toMatch(/Issues <span class="count">1</);
  });

  test("is not shown to the signed-in, nor theirs to strangers", async () => {
    await makeRepository("shared");
    await untilKept("/alice/shared");
    const visitor = new WebVisitor(app.url);
    await visitor.signIn("alice", testPassword);
    const own = await visitor.get("/alice/shared");
    expect(own.text).toContain("/alice/shared/_new/");
    expect(own.headers.get("cache-control")).toBe("no-store");
    expect(own.headers.get("etag")).toBeNull();
    expect((await stranger.get("/alice/shared")).text).not.toContain("/alice/shared/_new/");
  });

  test("is another one for another time zone, host and coding", async () => {
    await makeRepository("zoned");
    await untilKept("/alice/zoned");
    const page = async (headers: Record<string, string>) =>
      (await fetch(`${app.url}/alice/zoned`, { headers, decompress: false })).text();
    expect(await page({ cookie: "zone=Asia/Tokyo", "accept-encoding": "identity" })).toContain("Asia/Tokyo");
    expect(await page({ host: "forge.example.org", "accept-encoding": "identity" })).toContain(
      "http://forge.example.org/alice/zoned.git",
    );
    expect(await page({ "accept-encoding": "gzip" })).not.toContain("<html");
    expect(await page({ "accept-encoding": "identity" })).toContain("<html");
  });

  test("is not kept if it has a form", async () => {
    const page = await stranger.get("/user/login");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("etag")).toBeNull();
    const other = await new WebVisitor(app.url).get("/user/login");
    expect(other.headers.getSetCookie()[0]).not.toBe(page.headers.getSetCookie()[0]);
  });

  test("is not sent again to a browser that has it", async () => {
    await makeRepository("known");
    let etag = "";
    // The languages are counted meanwhile, which changes the page.
    await until("the page stays as it is", async () => {
      const again = await stranger.request("GET", "/alice/known", { headers: { "if-none-match": etag } });
      etag = again.headers.get("etag") ?? "";
      return again.status === 304 && again.text === "" && again.headers.get("vary") === "Cookie, Accept-Encoding";
    });
    expect(etag).toMatch(/^"[\w-]+-(zstd|gzip)"$/);
    await alice.api.patch("/repos/alice/known", { description: "Another" });
    const changed = await stranger.request("GET", "/alice/known", { headers: { "if-none-match": etag } });
    expect(changed.status).toBe(200);
    const missing = await stranger.request("GET", "/alice/none", { headers: { "if-none-match": "*" } });
    expect(missing.status).toBe(404);
  });
});
