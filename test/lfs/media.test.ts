import { expect, test } from "bun:test";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectBlobs } from "../../src/domain/git/blobs/collect-blobs.ts";
import { verifyBlobs } from "../../src/domain/git/blobs/verify-blobs.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { useTestApp, type TestUser } from "../support/test-app.ts";
import { LfsClient, lfsBytesOf, sha256 } from "./raw-lfs.ts";

/** LFS objects as the API shows them, and what becomes of them with their repository. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const content = `<html>${"large ".repeat(300)}</html>`;
const oid = sha256(content);
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;

async function withPointer(user: TestUser, name: string): Promise<void> {
  await app.repository(user, name, { private: true });
  await user.api.post(`/repos/${user.name}/${name}/contents/page.html`, { content: btoa(pointer) });
}

test("media serves what a pointer stands for where the repository has it, raw the pointer", async () => {
  await withPointer(alice, "site");
  const media = async (headers: Record<string, string> = {}) =>
    alice.api.fetch("GET", "/repos/alice/site/media/page.html", { headers });
  expect(await (await media()).text()).toBe(pointer);

  await LfsClient.of(app, "alice/site", alice.token).put(oid, content);
  const whole = await media();
  expect([whole.status, await whole.text(), whole.headers.get("etag"), whole.headers.get("content-length")]).toEqual([
    200,
    content,
    `"${oid}"`,
    String(content.length),
  ]);
  expect(whole.headers.get("content-security-policy")).toContain("sandbox");
  const part = await media({ range: "bytes=6-10" });
  expect([part.status, await part.text()]).toEqual([206, "large"]);
  expect((await media({ "if-none-match": `"${oid}"` })).status).toBe(304);
  expect((await alice.api.get("/repos/alice/site/raw/page.html")).body).toBe(pointer);

  // A pointer can name what another repository has; it leads to nothing there.
  await withPointer(bob, "thief");
  expect((await bob.api.get("/repos/bob/thief/media/page.html")).body).toBe(pointer);
});

test("a repository's size counts its objects, and lists can be in that order", async () => {
  await app.repository(alice, "small");
  await app.repository(alice, "large");
  const upload = async (name: string, bytes: number) => {
    const noise = "x".repeat(bytes);
    await LfsClient.of(app, `alice/${name}`, alice.token).put(sha256(noise), noise);
  };
  await upload("small", 10_000);
  await upload("large", 50_000);
  const size = async (name: string) => (await alice.api.get<{ size: number }>(`/repos/alice/${name}`)).body.size;
  expect([await size("small"), await size("large")]).toEqual([10, 49]);
  const names = async (path: string) =>
    (await alice.api.get<{ name: string }[] | { data: { name: string }[] }>(path)).body;
  const listed = (await names("/user/repos?order_by=reverselfssize")) as { name: string }[];
  expect(listed.map(({ name }) => name).slice(0, 2)).toEqual(["large", "small"]);
  const found = (await names("/repos/search?sort=lfs_size&order=asc")) as { data: { name: string }[] };
  expect(found.data.map(({ name }) => name).slice(-2)).toEqual(["small", "large"]);
});

test("what nothing refers to any more is removed after an hour; what another repository has stays", async () => {
  await app.repository(alice, "going");
  await app.repository(alice, "staying");
  const going = LfsClient.of(app, "alice/going", alice.token);
  const staying = LfsClient.of(app, "alice/staying", alice.token);
  for (const text of ["shared", "only here"]) {
    await going.put(sha256(text), text);
  }
  await staying.put(sha256("shared"), "shared");
  const { db } = app.forge.database;
  const directory = join(app.forge.files.packDirectory, "..", "blobs");
  const has = (text: string) =>
    readdirSync(directory, { recursive: true })
      .map(String)
      .includes(join(sha256(text).slice(0, 2), sha256(text)));

  expect((await alice.api.delete("/repos/alice/going")).status).toBe(204);
  // An hour counts from the moment in which the collector noticed, however old the files are.
  for (const text of ["shared", "only here"]) {
    utimesSync(join(directory, sha256(text).slice(0, 2), sha256(text)), 1, 1);
  }
  expect(await collectBlobs(db, app.forge.files.blobs, silentLogger)).toBe(0);
  expect([has("shared"), has("only here")]).toEqual([true, true]);
  await app.forge.database.sql`update blob set retired_at = retired_at - interval '1 hour'`;
  expect(await collectBlobs(db, app.forge.files.blobs, silentLogger)).toBe(1);
  expect([has("shared"), has("only here")]).toEqual([true, false]);
  expect(await (await staying.get(sha256("shared"))).text()).toBe("shared");
  expect(await lfsBytesOf(app, "alice", "staying")).toBe(6);
});

test("blobs that are missing, cut off or damaged are found", async () => {
  await app.repository(alice, "checked");
  const checked = LfsClient.of(app, "alice/checked", alice.token);
  for (const text of ["is whole", "is missing", "is cut", "is damaged"]) {
    await checked.put(sha256(text), text);
  }
  const { db } = app.forge.database;
  const verify = async (checksums: boolean) =>
    (await verifyBlobs(db, app.forge.files.blobs, { checksums, onBytes: () => {} })).problems;
  expect(await verify(true)).toEqual([]);
  const path = (text: string) =>
    join(app.forge.files.packDirectory, "..", "blobs", sha256(text).slice(0, 2), sha256(text));
  rmSync(path("is missing"));
  writeFileSync(path("is cut"), "is");
  writeFileSync(path("is damaged"), "IS damaged");
  const [missing, cut, damaged] = ["is missing", "is cut", "is damaged"].map((text) => `The blob ${sha256(text)}`);
  expect((await verify(false)).sort()).toEqual([`${missing} is missing`, `${cut} has 2 bytes instead of 6`].sort());
  expect((await verify(true)).sort()).toEqual(
    [
      `${missing} is missing`,
      `${cut} has 2 bytes instead of 6`,
      `${damaged} is damaged: its content has the SHA-256 ${sha256("IS damaged")}`,
    ].sort(),
  );
  expect((await checked.get(sha256("is whole"))).status).toBe(200);
});
