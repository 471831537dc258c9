import { expect, test } from "bun:test";
import { collectBlobs } from "../../../src/domain/git/blobs/collect-blobs.ts";
import { silentLogger } from "../../../src/lib/log.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp({ users: { avatar_limit_bytes: 4096, avatar_limit_pixels: 64 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const site = await app.repository(alice, "site");
await alice.api.post("/user/repos", { name: "secret", private: true });
await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "write" });

const gif = Buffer.from("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=", "base64");
const webp = Buffer.from("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64");
const image = (content: Uint8Array) => ({ image: Buffer.from(content).toString("base64") });
const shown = async (path: string, client = alice.api) =>
  (await client.get<{ avatar_url: string }>(path)).body.avatar_url;
const references = async () => {
  const rows = await app.forge.database
    .sql`select owner_id, bytes from blob_reference where kind = 'repository-avatar' and subject_id = ${site.id}`;
  return rows.map((row) => [Number(row["owner_id"]), Number(row["bytes"])]);
};

test("only administrators of the repository set and remove its picture", async () => {
  for (const [method, body] of [
    ["POST", image(gif)],
    ["DELETE", undefined],
  ] as const) {
    const sent = body === undefined ? {} : { body };
    expect((await app.anonymous.request(method, "/repos/alice/site/avatar", sent)).status).toBe(401);
    expect((await bob.api.request(method, "/repos/alice/site/avatar", sent)).status).toBe(403);
    expect((await bob.api.request(method, "/repos/alice/secret/avatar", sent)).status).toBe(404);
    const reader = await app.scoped(alice, "read:repository");
    expect((await reader.request(method, "/repos/alice/site/avatar", sent)).status).toBe(403);
  }
  expect(await shown("/repos/alice/site")).toBe("");
  expect((await alice.api.get("/repos/alice/site/avatar")).status).toBe(404);
});

test("what is no picture within the limits is refused as an owner's is", async () => {
  const post = (body: unknown) => alice.api.post<{ message: string }>("/repos/alice/site/avatar", body);
  expect((await post({})).status).toBe(422);
  expect((await post({ image: "!" })).status).toBe(400);
  expect((await post(image(Buffer.from("<svg/>")))).body.message).toBe(
    "image must be a PNG, JPEG, GIF or WebP picture",
  );
  expect((await post(image(Buffer.alloc(5000)))).body.message).toContain("at most 4096 bytes");
  expect(await shown("/repos/alice/site")).toBe("");
  expect(await references()).toEqual([]);
});

test("a picture is shown at the address in the repository, and counts among the owner's bytes", async () => {
  expect(await alice.api.post("/repos/alice/site/avatar", image(gif))).toMatchObject({ status: 204, body: null });
  const url = await shown("/repos/alice/site", app.anonymous);
  expect(url).toBe(`${app.url}/api/v1/repos/alice/site/avatar`);
  const response = await fetch(url);
  expect(Buffer.from(await response.bytes())).toEqual(gif);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "image/gif",
    "cache-control": "private, no-cache",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
  const etag = response.headers.get("etag") ?? "";
  expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
  expect(await references()).toEqual([[alice.id, gif.length]]);
  expect(
    (await alice.api.get<{ data: { avatar_url: string }[] }>("/repos/search?q=site")).body.data[0]?.avatar_url,
  ).toBe(url);
});

test("it is as private as the repository, whatever its content's hash is", async () => {
  await alice.api.post("/repos/alice/secret/avatar", image(webp));
  const url = await shown("/repos/alice/secret");
  expect((await fetch(url)).status).toBe(404);
  expect((await bob.api.get("/repos/alice/secret/avatar")).status).toBe(404);
  expect((await alice.api.get("/repos/alice/secret/avatar")).status).toBe(200);
  const sha256 = new Bun.CryptoHasher("sha256").update(webp).digest("hex");
  expect((await fetch(`${app.url}/avatars/${sha256}`)).status).toBe(404);
});

test("another one takes its place, it stays while it is named, and goes when it is removed", async () => {
  const collect = () => collectBlobs(app.forge.database.db, app.forge.files.blobs, silentLogger, { graceMs: 0 });
  await alice.api.post("/repos/alice/site/avatar", image(webp));
  await collect();
  expect((await app.anonymous.fetch("GET", "/repos/alice/site/avatar")).status).toBe(200);
  expect(await references()).toEqual([[alice.id, webp.length]]);
  expect(await alice.api.delete("/repos/alice/site/avatar")).toMatchObject({ status: 204, body: null });
  expect((await alice.api.delete("/repos/alice/site/avatar")).status).toBe(204);
  expect(await shown("/repos/alice/site")).toBe("");
  expect(await references()).toEqual([]);
  await alice.api.delete("/repos/alice/secret");
  await collect();
  const sha256 = new Bun.CryptoHasher("sha256").update(webp).digest("hex");
  expect(await app.forge.files.blobs.find(sha256)).toBeNull();
});
