import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SshKeyPair } from "../support/ssh.ts";
import { TestApp, testPassword, useTestApp } from "../support/test-app.ts";
import { WebVisitor } from "../support/web-visitor.ts";

/** The addresses of the family that programs read, beside the API: keys of users, the latest release, files of LFS, robots.txt. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "site", { auto_init: true });
await app.repository(alice, "closed", { auto_init: true, private: true });
const key = new SshKeyPair();
const directory = await mkdtemp(join(tmpdir(), "stithy-plain-"));
afterAll(async () => {
  key[Symbol.dispose]();
  await rm(directory, { recursive: true });
});

const read = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(app.url + path, { headers, redirect: "manual" });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
};

/** An OpenPGP key as the server keeps it; whether it is one was checked when it came. */
async function addGpgKey(content: string): Promise<void> {
  await app.forge.database.sql`insert into gpg_key (user_id, key_id, fingerprint, content, key_created_at)
    values (${alice.id}, ${content.slice(0, 16)}, ${createHash("sha1").update(content).digest("hex")}, ${content}, now())`;
}

describe("keys of a user", () => {
  test("are for those who may see the user, and no organization has any", async () => {
    await app.organization("forge", alice);
    for (const path of ["/forge.keys", "/forge.gpg", "/nobody.keys", "/alice.png", "/alice.keys/x"]) {
      expect([path, (await read(path)).status]).toEqual([path, 404]);
    }
    const hidden = await app.user("unseen");
    await hidden.api.patch("/user/settings", { visibility: "private" });
    await app.forge.database.sql`update owner set visibility = 'private' where id = ${hidden.id}`;
    for (const path of ["/unseen.keys", "/unseen.gpg"]) {
      const [answer, absent] = [await read(path), await read(path.replace("unseen", "absent"))];
      expect([answer.status, answer.text.replaceAll("unseen", "absent")]).toEqual([404, absent.text]);
    }
    const self = new WebVisitor(app.url);
    await self.signIn("unseen", testPassword);
    expect((await self.get("/unseen.keys")).status).toBe(200);
  });

  test("come as lines, or as blocks, with an ETag", async () => {
    expect(await read("/alice.keys")).toMatchObject({ status: 200, text: "" });
    expect(await read("/alice.gpg")).toMatchObject({ status: 200, text: "" });
    await key.addTo(alice);
    const line = key.publicKey.split(" ").slice(0, 2).join(" ");
    const answer = await read("/Alice.keys");
    expect([answer.status, answer.text]).toEqual([200, `${line}\n`]);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const again = await read("/alice.keys", { "if-none-match": answer.headers.get("etag")! });
    expect([again.status, again.text]).toEqual([304, ""]);
    await addGpgKey("-----BEGIN ONE-----\n");
    await addGpgKey("-----BEGIN TWO-----");
    expect((await read("/alice.gpg")).text).toBe("-----BEGIN ONE-----\n-----BEGIN TWO-----\n");
    const head = await fetch(`${app.url}/alice.keys`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(line.length + 1)]);
  });
});

describe("the latest release", () => {
  const at = (repository: string) => `/alice/${repository}/releases/latest`;

  test("is there for those who may see releases, if there is one", async () => {
    for (const repository of ["closed", "none", "site"]) {
      expect((await read(at(repository))).status).toBe(404);
    }
    await alice.api.post("/repos/alice/site/releases", { tag_name: "v0", draft: true });
    await alice.api.post("/repos/alice/site/releases", { tag_name: "v3-rc", prerelease: true });
    expect((await read(at("site"))).status).toBe(404);
  });

  test("is led to by the name of its tag", async () => {
    await alice.api.post("/repos/alice/site/releases", { tag_name: "v1" });
    await alice.api.post("/repos/alice/site/releases", { tag_name: "v2/ä" });
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(app.url + at("site"), { method, redirect: "manual" });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/alice/site/releases/tag/v2/%C3%A4"]);
    }
  });
});

test("media are files of LFS by the path of what stands for them, and other files as they are", async () => {
  const content = "the bytes of a picture".repeat(100);
  const oid = createHash("sha256").update(content).digest("hex");
  const pointer = (id: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`;
  const batch = await fetch(`${app.url}/alice/site.git/info/lfs/objects/batch`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`alice:${alice.token}`)}`,
      accept: "application/vnd.git-lfs+json",
      "content-type": "application/vnd.git-lfs+json",
    },
    body: JSON.stringify({ operation: "upload", transfers: ["basic"], objects: [{ oid, size: content.length }] }),
  });
  const { objects } = (await batch.json()) as {
    objects: { actions: { upload: { href: string; header: Record<string, string> } } }[];
  };
  const { href, header } = objects[0]!.actions.upload;
  expect((await fetch(href, { method: "PUT", headers: header, body: content })).status).toBe(200);
  const write = (repository: string, path: string, text: string) =>
    alice.api.post(`/repos/alice/${repository}/contents/${path}`, { content: btoa(text), message: "x" });
  await write("site", "shots/one.png", pointer(oid));
  await write("site", "unknown.png", pointer("0".repeat(64)));
  // Another repository does not have the object, and its pointer opens nothing.
  await app.repository(bob, "thief", { auto_init: true });
  await bob.api.post("/repos/bob/thief/contents/one.png", { content: btoa(pointer(oid)), message: "x" });

  for (const path of ["branch/main/none.png", "branch/none/shots/one.png", "branch/main/shots", "main"]) {
    expect([path, (await read(`/alice/site/media/${path}`)).status]).toEqual([path, 404]);
  }
  expect((await read("/alice/closed/media/branch/main/README.md")).status).toBe(404);
  expect((await read("/bob/thief/media/branch/main/one.png")).text).toBe(pointer(oid));
  expect((await read("/alice/site/media/branch/main/unknown.png")).text).toBe(pointer("0".repeat(64)));
  expect((await read("/alice/site/raw/branch/main/shots/one.png")).text).toBe(pointer(oid));
  expect((await read("/alice/site/media/branch/main/README.md")).text).toContain("site");

  const whole = await read("/alice/site/media/branch/main/shots/one.png");
  expect([whole.status, whole.text, whole.headers.get("etag")]).toEqual([200, content, `"${oid}"`]);
  expect(whole.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  const part = await read("/alice/site/media/branch/main/shots/one.png", { range: "bytes=4-8" });
  expect([part.status, part.text]).toEqual([206, content.slice(4, 9)]);
  const same = await read("/alice/site/media/branch/main/shots/one.png", { "if-none-match": `"${oid}"` });
  expect([same.status, same.text]).toEqual([304, ""]);
});

const disallow = (path: string) => `Disallow: ${path}`;

describe("robots.txt", () => {
  test("keeps crawlers from what is no page", async () => {
    const answer = await read("/robots.txt");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(answer.text).toBe(
      [
        "User-agent: *",
        ...[
          "/api/",
          "/user/",
          "/*/*/raw/",
          "/*/*/media/",
          "/*/*/activity",
          "/*/*/archive",
          "/*/*/atom/",
          "/*/*/blame",
        ].map(disallow),
        ...[
          "/*/*/branches/",
          "/*/*/commit",
          "/*/*/compare",
          "/*/*/graph",
          "/*/*/pulls/*/checks",
          "/*/*/pulls/*/commits",
          "/*/*/pulls/*/files",
          "/*/*/refs",
          "/*/*/rss/",
          "/*/*/search",
          "/*/*/wiki/_compare",
          "/*/*/wiki/_history",
          "/*/*/wiki/_pages/",
        ].map(disallow),
        `Sitemap: ${app.url}/sitemap.xml`,
        "",
      ].join("\n"),
    );
  });

  test("is the file of the setting, as it is now, and the usual one where there is none", async () => {
    const file = join(directory, "robots.txt");
    await using other = await TestApp.start({ server: { robots_file: file } });
    const text = async () => (await fetch(`${other.url}/robots.txt`)).text();
    for (const written of ["User-agent: *\nDisallow: /\n", "User-agent: x\nAllow: /\n"]) {
      await writeFile(file, written);
      expect(await text()).toBe(written);
    }
    await rm(file);
    expect(await text()).toStartWith("User-agent: *\nDisallow: /api/");
  });
});
