import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { until } from "../../support/until.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { makeTarGz, makeZip } from "../shared/make-archive.ts";

const app = await useTestApp({ packages: { file_limit_bytes: 1_000_000 } });
const alice = await app.user("alice");
const bob = await app.user("bob");

const at = (path: string) => `${app.url}/api/packages/alice/cran/${path}`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
const put = (path: string, body: Uint8Array | FormData, headers: Record<string, string> = as(alice)) =>
  fetch(at(path), { method: "PUT", body: body instanceof FormData ? body : new Uint8Array(body), headers });
const text = async (path: string) => {
  const answer = await fetch(at(path));
  return [answer.status, await answer.text()] as const;
};
const source = (name: string, version: string, more = "") =>
  makeTarGz([{ path: `${name}/DESCRIPTION`, content: `Package: ${name}\nVersion: ${version}\n${more}` }]);
const built = (name: string, version: string) =>
  makeZip([{ path: `${name}/DESCRIPTION`, content: `Package: ${name}\nVersion: ${version}\nBuilt: R 4.2.2\n` }]);
const count = async () =>
  (await app.forge.database.sql`select count(*)::int as n from package_file`)[0]?.["n"] as number;

describe("an upload is refused", () => {
  test("without a credential, with a wrong one, and without the scope", async () => {
    const reader = await app.token(alice, ["read:package"]);
    for (const headers of [
      {},
      as(bob),
      { authorization: `Basic ${btoa("alice:wrong")}` },
      { authorization: `token ${reader}` },
    ]) {
      for (const path of ["src", "bin?platform=windows&rversion=4.2"]) {
        const answer = await put(path, source("refused", "1.0"), headers as Record<string, string>);
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
          401,
          'Basic realm="Gitea Package API"',
        ]);
      }
    }
  });

  const zeros = { path: "a/zeros", content: Buffer.alloc(70 * 1024 * 1024) };
  test.each([
    ["no package", "src", Buffer.from("no package"), 400],
    ["nothing", "src", Buffer.alloc(0), 400],
    ["a package that is cut off", "src", source("cut", "1.0").subarray(0, -4), 400],
    ["a zip as sources", "src", built("zipped", "1.0"), 400],
    ["no DESCRIPTION", "src", makeTarGz([{ path: "a/b", content: "x" }]), 400],
    ["a name with a path", "src", source("../evil", "1.0"), 400],
    ["a version with a path", "src", source("evil", "1.0/../../x"), 400],
    [
      "a path that leads out",
      "src",
      makeTarGz([{ path: "../DESCRIPTION", content: "Package: evil\nVersion: 1.0\n" }]),
      400,
    ],
    ["a bomb", "src", makeTarGz([zeros, { path: "a/DESCRIPTION", content: "Package: bomb\nVersion: 1.0\n" }]), 400],
    ["more bytes than allowed", "src", Buffer.alloc(1_000_001), 413],
    ["no platform", "bin?rversion=4.2", built("nowhere", "1.0"), 400],
    ["no version of R", "bin?platform=windows&rversion=", built("nowhere", "1.0"), 400],
    ["a platform with a path", "bin?platform=..%2f..&rversion=4.2", built("nowhere", "1.0"), 400],
    ["a zip that is cut off", "bin?platform=windows&rversion=4.2", built("cut", "1.0").subarray(0, -4), 400],
  ])("with %s, and nothing stays", async (_, path, body, status) => {
    const before = await count();
    const answer = await put(path, body);
    const said = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/plain; charset=utf-8"]);
    expect(said.trim()).not.toBe("");
    expect(await count()).toBe(before);
  });

  test("by other methods and at other addresses", async () => {
    const posted = await fetch(at("src"), { method: "POST", body: "x", headers: as(alice) });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "PUT"]);
    const deleted = await fetch(at("src/contrib/a_1.0.tar.gz"), { method: "DELETE", headers: as(alice) });
    expect([deleted.status, deleted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await text("src/elsewhere/a_1.0.tar.gz"))[0]).toBe(404);
    expect((await text("src/contrib/PACKAGES.rds"))[0]).toBe(404);
  });
});

describe("an index", () => {
  test("is not there before the first package, has the newest upload of each, and goes with the last", async () => {
    expect((await text("src/contrib/PACKAGES"))[0]).toBe(404);
    const depends = "Depends: R (>= 3.5), methods\nImports: stats,\n  utils\nLicense: MIT\nNeedsCompilation: no\n";
    const older = source("bellows", "2.0", depends);
    expect([(await put("src", older)).status, (await put("src", source("anvil", "1.0"))).status]).toEqual([201, 201]);
    const newer = source("bellows", "1.9");
    expect((await put("src", newer)).status).toBe(201);
    const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");
    const anvil = `Package: anvil\nVersion: 1.0\nMD5sum: ${md5(source("anvil", "1.0"))}\nNeedsCompilation: no\n`;
    const expected = `${anvil}\nPackage: bellows\nVersion: 1.9\nMD5sum: ${md5(newer)}\nNeedsCompilation: no\n`;
    expect(await text("src/contrib/PACKAGES")).toEqual([200, expected]);
    const packed = await fetch(at("src/contrib/PACKAGES.gz"));
    expect([packed.headers.get("content-type"), gunzipSync(await packed.bytes()).toString()]).toEqual([
      "application/x-gzip",
      expected,
    ]);
    const plain = await fetch(at("src/contrib/PACKAGES"), { method: "HEAD" });
    expect([plain.headers.get("content-type"), plain.headers.get("last-modified"), await plain.text()]).toEqual([
      "text/plain; charset=utf-8",
      null,
      "",
    ]);
    const etag = plain.headers.get("etag") ?? "";
    expect((await fetch(at("src/contrib/PACKAGES"), { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await alice.api.delete("/packages/alice/cran/bellows/1.9")).status).toBe(204);
    const again = `${anvil}\nPackage: bellows\nVersion: 2.0\nDepends: R (>= 3.5), methods\nImports: stats, utils\nLicense: MIT\nMD5sum: ${md5(older)}\nNeedsCompilation: no\n`;
    await until("the older version is back", async () => (await text("src/contrib/PACKAGES"))[1] === again);
    expect((await fetch(at("src/contrib/PACKAGES"), { headers: { "if-none-match": etag } })).status).toBe(200);
    for (const path of ["bellows/2.0", "anvil/1.0"]) {
      await alice.api.delete(`/packages/alice/cran/${path}`);
    }
    await until("the index is gone", async () => (await text("src/contrib/PACKAGES"))[0] === 404);
  });

  test("is one for each kind: what is newer as sources alone does not hide what was built", async () => {
    const windows = "bin?platform=windows&rversion=4.2";
    expect((await put(windows, built("tongs", "1.0"))).status).toBe(201);
    expect((await put(windows, built("tongs", "1.0"))).status).toBe(409);
    expect((await put("bin?platform=windows&rversion=4.3", built("tongs", "1.0"))).status).toBe(201);
    expect((await put("src", source("tongs", "2.0"))).status).toBe(201);
    expect((await text("bin/windows/contrib/4.2/PACKAGES"))[1]).toStartWith("Package: tongs\nVersion: 1.0\n");
    expect((await text("src/contrib/PACKAGES"))[1]).toStartWith("Package: tongs\nVersion: 2.0\n");
    expect((await text("bin/windows/contrib/4.1/PACKAGES"))[0]).toBe(404);
    expect((await text("bin/windows/contrib/4.2/tongs_1.0.zip"))[0]).toBe(200);
    expect((await text("bin/windows/contrib/4.1/tongs_1.0.zip"))[0]).toBe(404);
    const { body } = await alice.api.get<{ name: string }[]>("/packages/alice/cran/tongs/1.0/files");
    expect(body.map(({ name }) => name)).toEqual(["tongs_1.0.zip", "tongs_1.0.zip"]);
  });

  test("has 20 packages that came at once", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `nail${index}a`);
    const answers = await Promise.all(names.map((name) => put("src", source(name, "1.0"))));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    const [, list] = await text("src/contrib/PACKAGES");
    expect(names.filter((name) => !list.includes(`Package: ${name}\n`))).toEqual([]);
  });
});

describe("files", () => {
  test("are served in every version, as sources and of the archive, whatever the case of their names", async () => {
    const first = source("Rivet", "1.0");
    expect([(await put("src", first)).status, (await put("src", source("Rivet", "1.1"))).status]).toEqual([201, 201]);
    expect((await put("src", source("Rivet", "1.0", "Title: Other\n"))).status).toBe(409);
    for (const path of [
      "src/contrib/Rivet_1.0.tar.gz",
      "src/contrib/Archive/Rivet/Rivet_1.0.tar.gz",
      "src/contrib/rivet_1.0.tar.gz",
    ]) {
      const answer = await fetch(at(path));
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
      expect(answer.headers.get("content-disposition")).toContain('filename="Rivet_1.0.tar.gz"');
      expect(await answer.bytes()).toEqual(new Uint8Array(first));
    }
    const part = await fetch(at("src/contrib/Rivet_1.0.tar.gz"), { headers: { range: "bytes=0-1" } });
    expect([part.status, Buffer.from(await part.bytes()).toString("hex")]).toEqual([206, "1f8b"]);
    for (const path of [
      "src/contrib/Rivet_9.9.tar.gz",
      "src/contrib/Archive/other/Rivet_1.0.tar.gz",
      "src/contrib/nothing",
    ]) {
      expect((await text(path))[0]).toBe(404);
    }
  });

  test("of macOS end with .tgz, also from a form", async () => {
    const form = new FormData();
    form.append("file", new File([new Uint8Array(source("mac", "1.0"))], "upload.bin"));
    expect((await put("bin?platform=macosx%2Fbig-sur-arm64&rversion=4.2", form)).status).toBe(201);
    expect((await text("bin/macosx/big-sur-arm64/contrib/4.2/mac_1.0.tgz"))[0]).toBe(200);
    expect((await text("bin/macosx/big-sur-arm64/contrib/4.2/PACKAGES"))[1]).toStartWith("Package: mac\n");
  });
});
