import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import zlib from "node:zlib";
import { readZip } from "../git/read-zip.ts";
import type { ApiClient } from "../support/client.ts";
import { GitWorkTree } from "../support/git-work-tree.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const work = await GitWorkTree.create();
const scratch = new Scratch();
afterAll(() => {
  work[Symbol.dispose]();
  scratch[Symbol.dispose]();
});
const base = "/repos/alice/Site/archive";
let first = "";
let second = "";

beforeAll(async () => {
  await app.repository(alice, "Site");
  await app.repository(alice, "secret", { private: true });
  await work.write("a.txt", "one\n");
  await work.write("version", "$Format:%H%d$\n");
  await work.write(".gitattributes", "version export-subst\nhidden export-ignore\n");
  await work.write("hidden", "x");
  first = await work.commit("first");
  await work.git("tag", "-a", "-m", "one", "v1.0");
  await work.write("a.txt", "two\n");
  second = await work.commit("second");
  for (const repository of ["Site", "secret"]) {
    await work.push(`${app.url}/alice/${repository}.git`, alice.token, "main", "v1.0", "main:refs/heads/feature/x.y");
  }
});

async function download(path: string, client: ApiClient = app.anonymous, headers: Record<string, string> = {}) {
  const response = await client.fetch("GET", path, { headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe("refused", () => {
  test("what the caller may not see, or is not there, alike", async () => {
    const wrong = await app.scoped(alice, "read:user");
    const publicOnly = await app.scoped(alice, "read:repository", "public-only");
    expect((await wrong.get(`${base}/main.zip`)).status).toBe(403);
    for (const client of [app.anonymous, bob.api, publicOnly]) {
      expect((await client.get("/repos/alice/secret/archive/main.zip")).status).toBe(404);
      expect((await client.get("/repos/alice/none/archive/main.zip")).status).toBe(404);
    }
    expect((await fetch(`${app.url}/alice/secret/archive/main.zip`)).status).toBe(404);
    expect((await alice.api.fetch("GET", "/repos/alice/secret/archive/main.zip")).status).toBe(200);
  });

  test("the archive of code that is switched off", async () => {
    await app.repository(alice, "off", { auto_init: true });
    await alice.api.patch("/repos/alice/off", { has_code: false });
    expect((await alice.api.get("/repos/alice/off/archive/main.zip")).status).toBe(404);
  });

  test.each([
    ["main.zip.exe", 400],
    ["main", 400],
    [".zip", 400],
    ["none.zip", 404],
    ["00000000.tar.gz", 404],
    ["%ff.zip", 400],
  ])("%s with %p", async (name, status) => {
    expect((await app.anonymous.get(`${base}/${name}`)).status).toBe(status);
  });
});

describe("given", () => {
  test("as tar, equal to git's, by branch, tag and commit", async () => {
    for (const name of ["main", "v1.0", "feature/x.y", "feature%2Fx.y", first, second.slice(0, 10)]) {
      const tree = decodeURIComponent(name);
      const expected = await work.git("rev-parse", `${tree}^{commit}`.replace("feature/x.y", "main"));
      const { status, bytes } = await download(`${base}/${name}.tar`);
      expect([name, status]).toEqual([name, 200]);
      const text = bytes.toString("latin1");
      expect(text.includes(`comment=${expected}`)).toBe(true);
      expect(text.includes("Site/a.txt")).toBe(true);
      expect(text.includes("Site/hidden")).toBe(false);
    }
  });

  test("with names of the refs where a file asks for them", async () => {
    const { bytes } = await download(`${base}/main.tar`);
    expect(bytes.toString("latin1")).toContain(`${second} (HEAD -> main, feature/x.y)\n`);
    expect((await download(`${base}/v1.0.tar`)).bytes.toString("latin1")).toContain(`${first} (tag: v1.0)\n`);
  });

  test("as tar.gz, which is the tar, and as zip", async () => {
    const packed = await download(`${base}/main.tar.gz`);
    expect(zlib.gunzipSync(packed.bytes).equals((await download(`${base}/main.tar`)).bytes)).toBe(true);
    expect(packed.headers.get("content-type")).toBe("application/gzip");
    expect(packed.headers.get("content-disposition")).toBe(
      `attachment; filename="Site-main.tar.gz"; filename*=UTF-8''Site-main.tar.gz`,
    );
    const zip = await download(`${base}/feature/x.y.zip`);
    expect(zip.headers.get("content-type")).toBe("application/zip");
    expect(zip.headers.get("content-disposition")).toContain(`filename="Site-feature-x.y.zip"`);
    const { entries, comment } = readZip(zip.bytes);
    expect(comment).toBe(second);
    expect(entries.map(({ path }) => path)).toEqual(["Site/", "Site/.gitattributes", "Site/a.txt", "Site/version"]);
  });

  test("as a bundle that git clones", async () => {
    for (const [name, head, refs] of [
      ["feature/x.y", second, "refs/heads/feature/x.y"],
      ["v1.0", first, "refs/tags/v1.0"],
      [first, first, ""],
    ] as const) {
      const path = scratch.join(`${name.replace("/", "-")}.bundle`);
      const { status, bytes } = await download(`${base}/${name}.bundle`);
      expect(status).toBe(200);
      await writeFile(path, bytes);
      await mustGit(scratch.path, ["clone", "-q", path, `${path}.clone`]);
      expect(await mustGit(`${path}.clone`, ["rev-parse", "HEAD"])).toBe(head);
      const heads = await mustGit(scratch.path, ["bundle", "list-heads", path]);
      expect(heads.split("\n").map((line) => line.split(" ")[1])).toEqual(["HEAD", ...(refs === "" ? [] : [refs])]);
      expect(await mustGit(`${path}.clone`, ["fsck", "--strict"])).toBe("");
    }
    const tag = await work.git("rev-parse", "v1.0");
    expect((await download(`${base}/v1.0.bundle`)).bytes.toString("latin1")).toContain(`${tag} refs/tags/v1.0\n`);
  });

  test("at addresses that name the format first, the same bytes", async () => {
    for (const [word, suffix] of [
      ["tarball", "tar.gz"],
      ["zipball", "zip"],
      ["bundle", "bundle"],
    ]) {
      for (const client of [app.anonymous, bob.api]) {
        expect((await client.get(`/repos/alice/secret/${word}/main`)).status).toBe(404);
      }
      expect((await app.anonymous.get(`/repos/alice/Site/${word}/none`)).status).toBe(404);
      expect((await app.anonymous.get(`/repos/alice/Site/ball/main`)).status).toBe(404);
      const [given, usual] = [
        await download(`/repos/alice/Site/${word}/feature/x.y`),
        await download(`${base}/feature/x.y.${suffix}`),
      ];
      expect(given.status).toBe(200);
      expect(given.bytes.equals(usual.bytes)).toBe(true);
      expect(given.headers.get("etag")).toBe(usual.headers.get("etag"));
      expect(given.headers.get("content-disposition")).toBe(usual.headers.get("content-disposition"));
    }
  });

  test("to HEAD without its bytes, and not again to who has it", async () => {
    const { headers } = await download(`${base}/main.zip`);
    const etag = headers.get("etag") ?? "";
    const head = await app.anonymous.fetch("HEAD", `${base}/main.zip`);
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    const again = await download(`${base}/feature/x.y.zip`, app.anonymous, { "if-none-match": etag });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect((await download(`${base}/v1.0.zip`, app.anonymous, { "if-none-match": etag })).status).toBe(200);
    expect((await download(`${base}/main.tar`)).headers.get("etag")).not.toBe(etag);
  });

  test("at the addresses that other answers name", async () => {
    const { body } = await app.anonymous.get<{ zipball_url: string; tarball_url: string }>(
      "/repos/alice/Site/tags/v1.0",
    );
    for (const address of [body.zipball_url, body.tarball_url]) {
      expect((await fetch(address)).status).toBe(200);
    }
  });

  test("at the address that tools make up, also after a new name", async () => {
    const { bytes } = await download(`${base}/v1.0.tar.gz`);
    const page = await fetch(`${app.url}/alice/Site/archive/v1.0.tar.gz`);
    expect(Buffer.from(await page.arrayBuffer()).equals(bytes)).toBe(true);
    await app.repository(alice, "before", { auto_init: true });
    await alice.api.patch("/repos/alice/before", { name: "after" });
    const moved = await fetch(`${app.url}/alice/before/archive/main.zip`, { redirect: "manual" });
    expect([moved.status, moved.headers.get("location")]).toEqual([307, `${app.url}/alice/after/archive/main.zip`]);
  });
});
