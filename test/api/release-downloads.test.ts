import { beforeAll, expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

/** Files of releases as they are downloaded. How they come to be there: release-assets.test.ts. */

interface AssetJson {
  id: number;
  uuid: string;
  download_count: number;
  browser_download_url: string;
}

const app = await useTestApp({ attachments: { image_limit_pixels: 1000 } });
const alice = await app.user("alice");
await app.repository(alice, "site", { auto_init: true });
let at = "";

beforeAll(async () => {
  const { body } = await alice.api.post<{ id: number }>("/repos/alice/site/releases", { tag_name: "v1" });
  at = `/repos/alice/site/releases/${body.id}/assets`;
});

async function add(name: string, content: string | Uint8Array, path = at): Promise<AssetJson> {
  const { body } = await alice.api.request<AssetJson>("POST", `${path}?name=${encodeURIComponent(name)}`, {
    body: content,
    headers: { "content-type": "application/octet-stream" },
  });
  return body;
}

const open = (address: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(address, { method, headers, redirect: "manual" });
const countOf = async ({ id }: AssetJson) => (await alice.api.get<AssetJson>(`${at}/${id}`)).body.download_count;

test("of one elsewhere leads there, for those who may see the release", async () => {
  const form = new FormData();
  form.set("external_url", "https://example.org/a?b=c");
  form.set("name", "elsewhere.zip");
  const headers = { authorization: `token ${alice.token}` };
  const made = await fetch(`${app.url}/api/v1${at}`, { method: "POST", body: form, headers });
  expect(made.status).toBe(201);
  const address = `${app.url}/alice/site/releases/download/v1/elsewhere.zip`;
  for (const method of ["GET", "HEAD"]) {
    const answer = await open(address, {}, method);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://example.org/a?b=c"]);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  }
  await alice.api.patch("/repos/alice/site", { private: true });
  expect((await open(address)).status).toBe(404);
  await alice.api.patch("/repos/alice/site", { private: false });
});

test("as a whole, in parts, or not again", async () => {
  const asset = await add("digits.txt", "0123456789");
  const url = asset.browser_download_url;
  const whole = await open(url);
  const etag = whole.headers.get("etag") ?? "";
  expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-length": "10",
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": "attachment; filename=\"digits.txt\"; filename*=UTF-8''digits.txt",
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
  });
  for (const [range, headers, status, text] of [
    ["bytes=2-4", {}, 206, "234"],
    ["bytes=7-", {}, 206, "789"],
    ["bytes=-2", {}, 206, "89"],
    ["bytes=2-4", { "if-range": etag }, 206, "234"],
    ["bytes=2-4", { "if-range": '"another"' }, 200, "0123456789"],
    ["bytes=20-", {}, 416, ""],
  ] as const) {
    const part = await open(url, { range, ...headers });
    expect([range, part.status, await part.text()]).toEqual([range, status, text]);
  }
  expect((await open(url, { "if-none-match": etag })).status).toBe(304);
  const head = await open(url, {}, "HEAD");
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
});

test("is counted once, where it begins", async () => {
  const asset = await add("counted.bin", "0123456789");
  const url = asset.browser_download_url;
  const etag = (await open(url)).headers.get("etag") ?? "";
  expect(await countOf(asset)).toBe(1);
  await open(url, {}, "HEAD");
  await open(url, { range: "bytes=5-" });
  await open(url, { range: "bytes=50-" });
  await open(url, { "if-none-match": etag });
  expect(await countOf(asset)).toBe(1);
  await open(url, { range: "bytes=0-4" });
  await open(`${app.url}/attachments/${asset.uuid}`);
  await open(`${app.url}/alice/site/releases/download/v1/counted.bin`);
  expect(await countOf(asset)).toBe(4);
  await Promise.all(Array.from({ length: 40 }, () => open(url)));
  expect(await countOf(asset)).toBe(44);
});

test("at the address of the family's pages, whatever the tag", async () => {
  const { body } = await alice.api.post<{ id: number }>("/repos/alice/site/releases", { tag_name: "dir/v2" });
  await add("a b%.txt", "by name", `/repos/alice/site/releases/${body.id}/assets`);
  const there = `${app.url}/alice/site/releases/download`;
  expect(await (await open(`${there}/dir/v2/a%20b%25.txt`)).text()).toBe("by name");
  expect(await (await open(`${there}/dir%2Fv2/a%20b%25.txt`)).text()).toBe("by name");
  await app.repository(alice, "before", { auto_init: true });
  await alice.api.patch("/repos/alice/before", { name: "after" });
  const moved = await open(`${app.url}/alice/before/releases/download/v1/x.bin`);
  expect([moved.status, moved.headers.get("location")]).toEqual([
    307,
    `${app.url}/alice/after/releases/download/v1/x.bin`,
  ]);
  for (const path of ["dir/v2/none", "v2/a%20b%25.txt", "a%20b%25.txt", "%00/x"]) {
    expect([path, [404, 400].includes((await open(`${there}/${path}`)).status)]).toEqual([path, true]);
  }
});

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const enormous = Buffer.from(pixel);
enormous.writeUInt32BE(1001, 16);
const damaged = pixel.subarray(0, 12);

test.each([
  ["a picture", "x.png", pixel, "image/png", "inline"],
  ["a picture of another name", "x.html", pixel, "image/png", "inline"],
  ["a picture that is too large to show", "x.png", enormous, "image/png", "attachment"],
  ["a damaged picture", "x.png", damaged, "application/octet-stream", "attachment"],
  ["a page", "x.html", "<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8", "attachment"],
  [
    "SVG",
    "x.svg",
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "text/plain; charset=utf-8",
    "attachment",
  ],
  ["SVG that says it is a picture", "x.png", "<svg onload=alert(1)>", "text/plain; charset=utf-8", "attachment"],
  ["a PDF", "x.pdf", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "application/pdf", "attachment"],
  ["bytes", "x.html", new Uint8Array([0, 1, 2, 255]), "application/octet-stream", "attachment"],
] as const)("%s is served so that it does nothing", async (_, name, content, type, disposition) => {
  const asset = await add(name, content);
  const { headers } = await open(asset.browser_download_url);
  expect([headers.get("content-type"), headers.get("content-disposition")?.split(";")[0]]).toEqual([type, disposition]);
  expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  await alice.api.delete(`${at}/${asset.id}`);
});
