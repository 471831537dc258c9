import { readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { LfsClient, sha256 } from "../lfs/raw-lfs.ts";
import { useTestApp } from "../support/test-app.ts";

/** A file of the store whose bytes are not those that were stored is never served as if it were whole. */

const app = await useTestApp();
const alice = await app.user("alice");
await app.repository(alice, "site", { auto_init: true });
const authorization = `token ${alice.token}`;
const directory = join(app.forge.config.dataDirectory, "blobs");
const pathOf = (name: string) => join(directory, name.slice(0, 2), name);

/** Changes one byte of a file in the middle; the length stays. */
function damage(name: string): void {
  const bytes = readFileSync(pathOf(name));
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(pathOf(name), bytes);
}

const health = async () =>
  (await (await fetch(`${app.url}/api/healthz`)).json()) as { checks: { files: { status: string } } };
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${path}`, { headers: { authorization, ...headers } });

async function release(content: string): Promise<string> {
  const { body } = await alice.api.post<{ id: number }>("/repos/alice/site/releases", {
    tag_name: crypto.randomUUID(),
  });
  const form = new FormData();
  form.append("attachment", new File([content], "file.txt"));
  const answer = await fetch(`${app.url}/api/v1/repos/alice/site/releases/${body.id}/assets`, {
    method: "POST",
    headers: { authorization },
    body: form,
  });
  return new URL(((await answer.json()) as { browser_download_url: string }).browser_download_url).pathname;
}

test("a short one is refused whole and in parts, warned of, and served when it is restored", async () => {
  const content = "a file of a release".repeat(100);
  const path = await release(content);
  expect(await (await get(path)).text()).toBe(content);
  damage(sha256(content));
  for (const headers of [{}, { range: "bytes=0-4" }, {}]) {
    expect((await get(path, headers as Record<string, string>)).status).toBe(500);
  }
  expect((await health()).checks.files).toEqual({
    status: "warn",
    output: `1 stored files are damaged; the server's log and "stithy doctor" name them`,
  } as never);
  truncateSync(pathOf(sha256(content)), 10);
  expect((await get(path)).status).toBe(500);
  writeFileSync(pathOf(sha256(content)), content);
  expect(await (await get(path)).text()).toBe(content);
  expect((await health()).checks.files).toEqual({ status: "pass" });
});

test("one that is restored with the time of the damaged one is served, too", async () => {
  const content = "a file of another release";
  const path = await release(content);
  const { atime, mtime } = statSync(pathOf(sha256(content)));
  const write = (text: string) => {
    writeFileSync(pathOf(sha256(content)), text);
    // As disks do that lose bits, and programs that restore backups.
    utimesSync(pathOf(sha256(content)), atime, mtime);
  };
  write(content.toUpperCase());
  expect((await get(path)).status).toBe(500);
  write(content);
  expect(await (await get(path)).text()).toBe(content);
});

test("a picture and a package are refused, too", async () => {
  const put = { method: "PUT", headers: { authorization }, body: "a package" };
  const at = "/api/packages/alice/generic/tool/1/file.txt";
  expect((await fetch(`${app.url}${at}`, put)).status).toBe(201);
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
  expect((await alice.api.post("/user/avatar", { image: png })).status).toBe(204);
  const picture = sha256(Buffer.from(png, "base64"));
  damage(sha256("a package"));
  damage(picture);
  expect((await get(at)).status).toBe(500);
  expect((await get(`/avatars/${picture}`)).status).toBe(500);
});

test("a long one breaks off before its end when it is first sent, and is refused from then on", async () => {
  const bytes = new Uint8Array(65 * 1024 * 1024).fill(7);
  const oid = sha256(bytes);
  const client = LfsClient.of(app, "alice/site", alice.token);
  expect((await client.put(oid, bytes)).status).toBe(200);
  damage(oid);
  const path = `/alice/site.git/info/lfs/objects/${oid}`;
  const first = await get(path);
  expect(first.status).toBe(200);
  await expect(first.bytes()).rejects.toThrow();
  expect((await get(path)).status).toBe(500);
  writeFileSync(pathOf(oid), bytes);
  for (let time = 0; time < 2; time++) {
    expect(sha256(new Uint8Array(await (await get(path)).arrayBuffer()))).toBe(oid);
  }
  const part = await get(path, { range: "bytes=5-9" });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 5-9/${bytes.length}`]);
});
