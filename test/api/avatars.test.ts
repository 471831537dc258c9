import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { collectBlobs } from "../../src/domain/git/blobs/collect-blobs.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp({ users: { avatar_limit_bytes: 4096, avatar_limit_pixels: 64 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.organization("forge", alice);

interface Shown {
  avatar_url: string;
}
interface Failure {
  message: string;
}

/** A PNG of these dimensions, whose pixels nobody looks at. */
function png(width: number, height: number, filler = ""): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const sizes = Buffer.alloc(8);
    sizes.writeUInt32BE(data.length, 0);
    sizes.writeUInt32BE(Bun.hash.crc32(body), 4);
    return Buffer.concat([sizes.subarray(0, 4), body, sizes.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("tEXt", Buffer.from(`x\0${filler}`)),
    chunk("IDAT", deflateSync(Buffer.alloc(height * (width + 1)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const gif = Buffer.from("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=", "base64");
const webp = Buffer.from("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA", "base64");
const jpeg = Buffer.from("/9j/4AAQSkZJRgABAQEASABIAAD/wAALCAABAAEBAREA/9k=", "base64");
const upload = (content: Uint8Array, path = "/user/avatar", client = alice.api) =>
  client.post<Failure>(path, { image: Buffer.from(content).toString("base64") });
const avatarOf = async (path: string) => (await bob.api.get<Shown>(path)).body.avatar_url;

describe("without an upload", () => {
  test("the picture is drawn from the name, alike in any case and for names that nobody has", async () => {
    const url = await avatarOf("/users/alice");
    expect(url).toBe(`${app.url}/avatars/alice`);
    const response = await fetch(url);
    const bytes = await response.bytes();
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(Buffer.from(bytes.subarray(0, 8)).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect(await (await fetch(`${app.url}/avatars/ALICE`)).bytes()).toEqual(bytes);
    expect(await (await fetch(`${app.url}/avatars/bob`)).bytes()).not.toEqual(bytes);
    expect((await fetch(`${app.url}/avatars/nobody-at-all`)).status).toBe(200);
  });

  test("it may be kept for a day, is asked for again by its ETag, and can do nothing", async () => {
    const { headers } = await fetch(`${app.url}/avatars/alice`);
    expect(headers.get("cache-control")).toBe("public, max-age=86400");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(
      (await fetch(`${app.url}/avatars/alice`, { headers: { "if-none-match": headers.get("etag") ?? "" } })).status,
    ).toBe(304);
    const head = await fetch(`${app.url}/avatars/alice`, { method: "HEAD" });
    expect([head.status, head.headers.get("etag")]).toEqual([200, headers.get("etag")]);
  });
});

test("an address that is no text is refused", async () => {
  for (const path of ["/avatars/%FF", "/avatars/%ED%A0%80", "/attachments/%FF"]) {
    expect([path, (await fetch(app.url + path)).status]).toEqual([path, 400]);
  }
});

describe("an uploaded picture", () => {
  test.each([
    ["image/png", png(64, 64)],
    ["image/gif", gif],
    ["image/webp", webp],
    ["image/jpeg", jpeg],
  ])("of type %s is served as it came, under its hash", async (type, content) => {
    expect((await upload(content)).status).toBe(204);
    const url = await avatarOf("/users/alice");
    expect(url).toBe(`${app.url}/avatars/${new Bun.CryptoHasher("sha256").update(content).digest("hex")}`);
    const response = await fetch(url);
    expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
      200,
      type,
      "public, max-age=31536000, immutable",
    ]);
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(Buffer.from(await response.bytes()).equals(content)).toBe(true);
    expect((await fetch(url, { headers: { "if-none-match": response.headers.get("etag") ?? "" } })).status).toBe(304);
  });

  test("is kept by the collector as long as somebody has it", async () => {
    const content = png(2, 3);
    await Promise.all([upload(content), upload(content, "/user/avatar", bob.api)]);
    const url = await avatarOf("/users/alice");
    const later = () => collectBlobs(app.forge.database.db, app.forge.files.blobs, silentLogger, { graceMs: 0 });
    await alice.api.delete("/user/avatar");
    await later();
    expect((await fetch(url)).status).toBe(200);
    await bob.api.delete("/user/avatar");
    expect((await fetch(url)).status).toBe(404);
    await later();
    expect(await app.forge.files.blobs.find(url.slice(-64))).toBeNull();
    expect(await avatarOf("/users/alice")).toBe(`${app.url}/avatars/alice`);
  });

  test("is served, and nothing else of the store", async () => {
    const sha256 = new Bun.CryptoHasher("sha256").update("a secret").digest("hex");
    await using staged = await app.forge.files.blobs.stage(sha256, new Blob(["a secret"]).stream(), { bytes: 100 });
    await staged.publish();
    await app.forge.database.sql`insert into blob (sha256, bytes) values (decode(${sha256}, 'hex'), 8)`;
    expect((await fetch(`${app.url}/avatars/${sha256}`)).status).toBe(404);
  });

  test.each<[string, string | Uint8Array, string]>([
    ["no base64", "%%%", "base64"],
    ["a page", Buffer.from("<html><script>alert(1)</script>"), "PNG"],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'), "PNG"],
    ["too many bytes", png(8, 8, "x".repeat(5000)), "4096 bytes"],
    ["too many pixels", png(65, 1), "65 × 1"],
    ["no pixels", png(0, 4), "width"],
    ["the beginning of one", png(8, 8).subarray(0, 12), "damaged"],
    ["a broken WebP", webp.subarray(0, 14), "image"],
  ])("is refused where it is %s", async (_what, content, part) => {
    await upload(gif);
    const image = typeof content === "string" ? content : Buffer.from(content).toString("base64");
    const { status, body } = await alice.api.post<Failure>("/user/avatar", { image });
    expect([status, body.message.startsWith("image"), body.message.includes(part)]).toEqual([400, true, true]);
    expect(await avatarOf("/users/alice")).toEndWith(new Bun.CryptoHasher("sha256").update(gif).digest("hex"));
  });

  test("is given by its user only; without one it is 422", async () => {
    expect((await upload(gif, "/user/avatar", app.anonymous)).status).toBe(401);
    expect((await upload(gif, "/user/avatar", await app.scoped(alice, "read:user"))).status).toBe(403);
    for (const body of [{}, { image: "" }, { image: 7 }]) {
      const answer = await alice.api.post<Failure>("/user/avatar", body);
      expect([answer.status, answer.body.message.startsWith("image")]).toEqual([422, true]);
    }
  });
});

describe("an organization's picture", () => {
  test("is its owners' to change", async () => {
    expect((await upload(gif, "/orgs/forge/avatar", app.anonymous)).status).toBe(401);
    expect((await upload(gif, "/orgs/forge/avatar", bob.api)).status).toBe(403);
    expect((await bob.api.delete("/orgs/forge/avatar")).status).toBe(403);
    expect((await upload(gif, "/orgs/nothing/avatar")).status).toBe(404);
    expect((await upload(gif, "/orgs/alice/avatar")).status).toBe(404);
    expect((await upload(gif, "/orgs/forge/avatar")).status).toBe(204);
    expect(await avatarOf("/orgs/forge")).toMatch(/\/avatars\/[0-9a-f]{64}$/);
    expect((await alice.api.delete("/orgs/forge/avatar")).status).toBe(204);
    expect(await avatarOf("/orgs/forge")).toBe(`${app.url}/avatars/forge`);
  });
});
