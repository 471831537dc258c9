import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { rawRequest } from "../support/raw-request.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { LfsClient, letWrite, lfsBytesOf, sha256 } from "./raw-lfs.ts";

/** Batches and objects, request by request. */

const app = await useTestApp({ lfs: { object_limit_bytes: 100_000, objects_per_batch: 5 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { private: true });
await app.repository(alice, "open");
await app.repository(bob, "other", { private: true });

const site = LfsClient.of(app, "alice/site", alice.token);
const missing = "0".repeat(64);

/** Names of all files of the store, and of what is half there. */
function stored(): string[] {
  const { packDirectory, temporaryDirectory } = app.forge.files;
  return [`${packDirectory}/../blobs`, temporaryDirectory].flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
  );
}

describe("an upload", () => {
  test("is asked for, made, verified, and then known", async () => {
    const content = "content of a";
    const oid = sha256(content);
    const asked = await site.batch("upload", [{ oid, size: content.length }]);
    expect(asked.status).toBe(200);
    expect(asked.headers.get("content-type")).toBe("application/vnd.git-lfs+json");
    expect(asked.body.objects[0]).toMatchObject({
      oid,
      size: 12,
      authenticated: true,
      actions: {
        upload: { href: `${app.url}/alice/site.git/info/lfs/objects/${oid}`, expires_in: 1800 },
        verify: { href: `${app.url}/alice/site.git/info/lfs/verify` },
      },
    });
    const [upload, verify] = [await site.action("upload", oid, 12), await site.action("verify", oid, 12)];
    expect(
      (await fetch(verify.href, { method: "POST", headers: verify.header, body: JSON.stringify({ oid, size: 12 }) }))
        .status,
    ).toBe(404);

    expect((await fetch(upload.href, { method: "PUT", headers: upload.header, body: content })).status).toBe(200);
    const verified = (size: number) =>
      fetch(verify.href, { method: "POST", headers: verify.header, body: JSON.stringify({ oid, size }) });
    expect((await verified(12)).status).toBe(200);
    expect((await verified(13)).status).toBe(422);
    expect(await site.ask("upload", oid, 12)).toEqual({ oid, size: 12 });
    expect(await lfsBytesOf(app, "alice", "site")).toBe(12);

    // Once more: the same object counts once.
    expect((await site.put(oid, content)).status).toBe(200);
    expect(await lfsBytesOf(app, "alice", "site")).toBe(12);
  });

  test("is taken in pieces of unknown length, and empty", async () => {
    const pieces = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from("in "));
        controller.enqueue(Buffer.from("pieces"));
        controller.close();
      },
    });
    expect((await site.put(sha256("in pieces"), pieces)).status).toBe(200);
    expect((await site.put(sha256(""), "")).status).toBe(200);
    expect(await (await site.get(sha256("in pieces"))).text()).toBe("in pieces");
    const empty = await site.get(sha256(""));
    expect([empty.status, await empty.text()]).toEqual([200, ""]);
  });

  test("of other content, of too much, or broken off leaves nothing", async () => {
    const before = stored();
    const wrong = await site.put(sha256("wanted"), "something else");
    expect(wrong.status).toBe(422);
    expect(await wrong.json()).toMatchObject({ message: expect.stringContaining("SHA-256") });
    const large = new Uint8Array(100_001);
    expect((await site.put(sha256(large), large)).status).toBe(413);
    const unknownLength = new ReadableStream({
      start(controller) {
        controller.enqueue(large.subarray(0, 60_000));
        controller.enqueue(large.subarray(60_000));
        controller.close();
      },
    });
    expect((await site.put(sha256(large), unknownLength)).status).toBe(413);
    const cut = await rawRequest(
      app.url,
      `PUT /alice/site.git/info/lfs/objects/${sha256("wanted")} HTTP/1.1\r\nhost: x\r\nauthorization: token ${alice.token}\r\ntransfer-encoding: chunked\r\n\r\n3\r\nwan\r\nzz\r\n`,
    );
    expect(cut.status).not.toBe(200);
    expect((await site.put("not-an-oid", "x")).status).toBe(422);
    expect((await site.put(sha256("wanted"), "wanted", { "content-encoding": "gzip" })).status).toBe(415);
    // What was broken off is removed after its client was told.
    await until("nothing of it is left", () => stored().length === before.length);
    expect(stored()).toEqual(before);
    expect((await site.get(sha256("wanted"))).status).toBe(404);
  });

  test("too many at once are asked to come again", async () => {
    await using narrow = await TestApp.start({ lfs: { concurrent_uploads: 2 } });
    const carol = await narrow.user("carol");
    await narrow.repository(carol, "site");
    const client = LfsClient.of(narrow, "carol/site", carol.token);
    const dave = await narrow.user("dave");
    await narrow.repository(dave, "site");
    const other = LfsClient.of(narrow, "dave/site", dave.token);
    const { promise: rest, resolve } = Promise.withResolvers<void>();
    const first = client.put(
      sha256("slow"),
      new ReadableStream({
        async start(controller) {
          controller.enqueue(Buffer.from("sl"));
          await rest;
          controller.enqueue(Buffer.from("ow"));
          controller.close();
        },
      }),
    );
    await until("the first upload is under way", () => readdirSync(narrow.forge.files.temporaryDirectory).length > 0);
    const second = await client.put(sha256("quick"), "quick");
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
    expect((await other.put(sha256("quick"), "quick")).status).toBe(200);
    resolve();
    expect((await first).status).toBe(200);
    expect((await client.put(sha256("quick"), "quick")).status).toBe(200);
  });
});

test("an upload that takes too long is given up, and nothing of it stays", async () => {
  await using hasty = await TestApp.start({ lfs: { upload_timeout_seconds: 1 } });
  const carol = await hasty.user("carol");
  await hasty.repository(carol, "site");
  const client = LfsClient.of(hasty, "carol/site", carol.token);
  const { promise: never } = Promise.withResolvers<void>();
  const endless = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from("sl"));
      await never;
    },
  });
  expect((await client.put(sha256("slow"), endless)).status).toBe(408);
  expect(readdirSync(hasty.forge.files.temporaryDirectory)).toEqual([]);
});

describe("a download", () => {
  const content = "0123456789";
  const oid = sha256(content);

  test("comes whole, in part, or as its headers", async () => {
    await site.put(oid, content);
    const { href, header } = await site.action("download", oid, 10);
    const get = async (headers: Record<string, string> = {}, method = "GET") => {
      const response = await fetch(href, { method, headers: { ...header, ...headers } });
      return [
        response.status,
        await response.text(),
        response.headers.get("content-length"),
        response.headers.get("content-range"),
        response.headers.get("etag"),
      ];
    };
    expect(await get()).toEqual([200, content, "10", null, `"${oid}"`]);
    expect(await get({}, "HEAD")).toEqual([200, "", "10", null, `"${oid}"`]);
    expect(await get({ range: "bytes=3-5" })).toEqual([206, "345", "3", "bytes 3-5/10", `"${oid}"`]);
    expect(await get({ range: "bytes=8-" })).toEqual([206, "89", "2", "bytes 8-9/10", `"${oid}"`]);
    expect(await get({ range: "bytes=8-", "if-range": `"${oid}"` })).toEqual([
      206,
      "89",
      "2",
      "bytes 8-9/10",
      `"${oid}"`,
    ]);
    expect(await get({ range: "bytes=8-", "if-range": '"another"' })).toEqual([200, content, "10", null, `"${oid}"`]);
    expect((await get({ range: "bytes=10-" })).slice(0, 4)).toEqual([416, "", expect.anything(), "bytes */10"]);
  });

  test("of what the repository does not have is refused, object by object", async () => {
    await site.put(oid, content);
    const { status, body } = await site.batch("download", [
      { oid: missing, size: 1 },
      { oid, size: 10 },
      { oid, size: 11 },
      { oid: "xyz", size: 1 },
      { oid, size: -1 },
    ]);
    expect(status).toBe(200);
    expect(body.objects.map(({ error, actions }) => error?.code ?? Object.keys(actions ?? {}))).toEqual([
      404,
      ["download"],
      422,
      422,
      422,
    ]);
    expect((await site.get(missing)).status).toBe(404);
    expect((await site.get("xyz")).status).toBe(404);
  });
});

describe("a batch", () => {
  const one = [{ oid: missing, size: 1 }];

  test("of what is not spoken here is refused", async () => {
    const post = async (body: unknown, headers: Record<string, string> = {}) =>
      (await site.post("objects/batch", body, headers)).status;
    expect(await post({ operation: "upload", objects: one, hash_algo: "sha512" })).toBe(409);
    expect(await post({ operation: "upload", objects: one, transfers: ["tus"] })).toBe(422);
    expect(
      await post({
        operation: "upload",
        objects: one,
        transfers: ["tus", "basic"],
        ref: { name: "refs/heads/main" },
        hash_algo: "sha256",
      }),
    ).toBe(200);
    expect(await post({ operation: "upload", objects: one, transfers: null, ref: null })).toBe(200);
    expect(await post({ operation: "verify", objects: one })).toBe(422);
    expect(await post({ operation: "upload", objects: [{ oid: missing }] })).toBe(422);
    expect(await post({ operation: "upload", objects: Array.from({ length: 6 }, () => one[0]) })).toBe(413);
    expect(await post({ operation: "upload", objects: one }, { accept: "text/html" })).toBe(406);
    expect((await site.request("POST", "objects/batch", "{")).status).toBe(400);
    expect((await site.ask("upload", missing, 100_001)).error?.code).toBe(422);
    expect((await site.batch("upload", [])).body.objects).toEqual([]);
  });

  test("needs what its operation needs", async () => {
    await letWrite(app, bob, "alice", "open");
    const carol = await app.user("carol");
    const open = (token?: string) => LfsClient.of(app, "alice/open", token);
    const statuses = async (client: LfsClient) => [
      (await client.batch("download", one)).status,
      (await client.batch("upload", one)).status,
      (await client.put(sha256("x"), "x")).status,
    ];
    expect(await statuses(open())).toEqual([200, 401, 401]);
    expect(await statuses(open(carol.token))).toEqual([200, 403, 403]);
    expect(await statuses(open(bob.token))).toEqual([200, 200, 200]);
    expect(await statuses(open(await app.token(bob, ["read:repository"])))).toEqual([200, 403, 403]);
    expect(await statuses(open(await app.token(bob, ["write:user"])))).toEqual([403, 403, 403]);
    expect(await statuses(open("wrong"))).toEqual([401, 401, 401]);
    // Without credentials hidden and missing are 401 alike, with them 404 alike.
    for (const path of ["alice/site", "alice/nothing", "nobody/nothing"]) {
      const nobody = await LfsClient.of(app, path).batch("download", one);
      expect([nobody.status, nobody.headers.get("lfs-authenticate"), nobody.headers.get("www-authenticate")]).toEqual([
        401,
        'Basic realm="Gitea", charset="UTF-8"',
        'Basic realm="Gitea", charset="UTF-8"',
      ]);
      expect(await statuses(LfsClient.of(app, path, bob.token))).toEqual([404, 404, 404]);
      expect((await LfsClient.of(app, path, bob.token).get(oidOfSite)).status).toBe(404);
    }
  });

  const oidOfSite = sha256("0123456789");

  test("works under the names without .git, and with that it had before", async () => {
    await app.repository(alice, "before");
    await alice.api.patch("/repos/alice/before", { name: "after" });
    expect(
      (await new LfsClient(`${app.url}/alice/before/info/lfs`, alice.token).action("upload", missing, 1)).href,
    ).toContain("/alice/after.git/info/lfs/");
  });

  test("uploads nothing to an archived repository, whose objects can still be had", async () => {
    await app.repository(alice, "old");
    const old = LfsClient.of(app, "alice/old", alice.token);
    await old.put(sha256("kept"), "kept");
    await alice.api.patch("/repos/alice/old", { archived: true });
    expect((await old.batch("upload", one)).status).toBe(403);
    expect((await old.put(sha256("new"), "new")).status).toBe(403);
    expect(await (await old.get(sha256("kept"))).text()).toBe("kept");
  });
});

test("knowing an oid proves nothing: what another repository has is neither told nor given nor linked", async () => {
  const content = "a secret of bob's";
  const object = { oid: sha256(content), size: content.length };
  const asks = (operation: "upload" | "download") => site.ask(operation, object.oid, object.size);
  const others = LfsClient.of(app, "bob/other", bob.token);
  expect((await others.put(object.oid, content)).status).toBe(200);

  expect((await asks("download")).error?.code).toBe(404);
  expect(Object.keys((await asks("upload")).actions ?? {})).toEqual(["upload", "verify"]);
  expect((await site.get(object.oid)).status).toBe(404);
  expect((await site.post("verify", object)).status).toBe(404);
  expect((await site.put(object.oid, "a guess at bob's")).status).toBe(422);
  expect((await site.get(object.oid)).status).toBe(404);
  expect((await site.put(object.oid, content)).status).toBe(200);
  expect(await (await site.get(object.oid)).text()).toBe(content);

  // What one gives up the other keeps.
  expect((await bob.api.delete("/repos/bob/other")).status).toBe(204);
  expect((await site.get(object.oid)).status).toBe(200);
});

test("LFS that is turned off answers 404 in its own words, and the settings say so", async () => {
  await using off = await TestApp.start({ lfs: { enabled: false } });
  const carol = await off.user("carol");
  await off.repository(carol, "site");
  const { status, body } = await LfsClient.of(off, "carol/site", carol.token).batch("upload", [
    { oid: missing, size: 1 },
  ]);
  expect([status, body.message]).toEqual([404, "LFS is turned off on this server"]);
});
