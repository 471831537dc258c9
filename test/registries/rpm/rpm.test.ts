import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { readKey } from "openpgp";
import { readRpm } from "../../../src/registries/rpm/read-rpm.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { makeRpm, type RpmToMake } from "./make-rpm.ts";
import { isSignedBy, readIndex } from "./read-index.ts";

const app = await useTestApp({ packages: { file_limit_bytes: 500_000, rpm_header_limit_bytes: 100_000 } });
const alice = await app.user("alice");
const bob = await app.user("bob");

const at = (path: string) => `${app.url}/api/packages/${path}`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
const upload = (path: string, rpm: RpmToMake | Buffer<ArrayBuffer>, headers: Record<string, string> = as(alice)) =>
  fetch(at(path), { method: "PUT", headers, body: Buffer.isBuffer(rpm) ? rpm : makeRpm(rpm) });
const told = async (response: Response) => [response.status, await response.text()] as const;
const get = (path: string, headers: Record<string, string> = {}) => fetch(at(path), { headers });
const remove = (path: string) => fetch(at(path), { method: "DELETE", headers: as(alice) });

/** The names and versions of the packages in a group's index, which is whole and signed. */
async function packagesOf(group: string, headers: Record<string, string> = {}): Promise<readonly string[]> {
  const [owner] = group.split("/");
  const key = await (await get(`${owner}/rpm/repository.key`)).text();
  return (await readIndex((path) => get(`${group}/${path}`, headers), key))?.packages ?? [];
}

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function isSigned(owner: string, binary: Uint8Array, signature: Parameters<typeof isSignedBy>[2]) {
  return isSignedBy(await (await get(`${owner}/rpm/repository.key`)).text(), binary, signature);
}

describe("who may not", () => {
  test("is asked for a credential, or told of nothing", async () => {
    const reader = await app.token(alice, ["read:package"]);
    for (const headers of [
      {},
      as(bob),
      { authorization: `token ${reader}` },
      { authorization: "token nothing" },
    ] as Record<string, string>[]) {
      for (const [method, path] of [
        ["PUT", "upload"],
        ["DELETE", "package/anvil/1.0-1/noarch"],
        ["POST", "package/anvil/1.0-1/errata"],
        ["DELETE", "package/anvil/1.0-1/errata/A-1"],
      ] as const) {
        const answer = await fetch(at(`alice/rpm/${path}`), {
          method,
          headers,
          body: method === "DELETE" ? null : makeRpm(),
        });
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.headers.get("www-authenticate")).toBe('Basic realm="Gitea Package API"');
      }
    }
    await alice.api.post("/orgs", { username: "forge", visibility: "private" });
    expect((await upload("forge/rpm/upload", {})).status).toBe(201);
    for (const path of [
      "rpm.repo",
      "rpm/repository.key",
      "rpm/repodata/repomd.xml",
      "rpm/package/anvil/1.0-1/noarch",
    ]) {
      expect((await get(`forge/${path}`)).status).toBe(401);
      expect((await get(`forge/${path}`, as(bob))).status).toBe(404);
      expect((await get(`forge/${path}`, as(alice))).status).toBe(200);
    }
  });

  test("sees in no index what is linked to a private repository", async () => {
    await app.repository(alice, "secret", { private: true });
    expect((await upload("alice/rpm/linked/upload", { name: "hidden" })).status).toBe(201);
    expect((await upload("alice/rpm/linked/upload", { name: "shown" })).status).toBe(201);
    expect((await alice.api.post("/packages/alice/rpm/hidden/-/link/secret")).status).toBe(201);
    await until("the index is published", async () => (await packagesOf("alice/rpm/linked")).length === 1);
    expect(await packagesOf("alice/rpm/linked")).toEqual(["shown 0:1.0-1"]);
    expect(await packagesOf("alice/rpm/linked", as(alice))).toEqual(["hidden 0:1.0-1", "shown 0:1.0-1"]);
    expect((await get("alice/rpm/linked/package/hidden/1.0-1/noarch")).status).toBe(404);
    expect((await get("alice/rpm/linked/package/hidden/1.0-1/noarch", as(alice))).status).toBe(200);
  });
});

describe("a package", () => {
  test("is taken once a group, and served as it came", async () => {
    const rpm = makeRpm({ name: "tongs", epoch: 2, version: "1.0~rc1", release: "3.el9", arch: "x86_64" });
    expect(await told(await upload("alice/rpm/one/upload", rpm))).toEqual([201, ""]);
    expect(await told(await upload("alice/rpm/one/upload", rpm))).toEqual([409, "package file already exists\n"]);
    expect((await upload("alice/rpm/two/upload", rpm)).status).toBe(201);
    const short = "alice/rpm/one/package/tongs/2-1.0~rc1-3.el9/x86_64";
    for (const path of [short, `${short}/tongs-2-1.0~rc1-3.el9.x86_64.rpm`, short.replace("~", "%7e")]) {
      const answer = await get(path);
      expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(rpm)]).toEqual([200, true]);
      expect(answer.headers.get("content-disposition")).toContain('filename="tongs-2-1.0~rc1-3.el9.x86_64.rpm"');
      const head = await fetch(at(path), { method: "HEAD" });
      expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${rpm.length}`, ""]);
    }
    expect((await get(short, { range: "bytes=0-3" })).status).toBe(206);
    expect(await packagesOf("alice/rpm/one")).toEqual(["tongs 2:1.0~rc1-3.el9"]);
    const version = await alice.api.get<{ name: string; Size: number }[]>(
      "/packages/alice/rpm/tongs/2-1.0~rc1-3.el9/files",
    );
    expect(version.body.map(({ name, Size }) => [name, Size])).toEqual(
      ["one", "two"].map(() => ["tongs-2-1.0~rc1-3.el9.x86_64.rpm", rpm.length]),
    );
    for (const path of [
      short.replace("x86_64", "noarch"),
      `${short}/tongs-1.0.rpm`,
      short.replace("/one/", "/three/"),
      short.replace("2-1.0", "1.0"),
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  test("as a part of a form is taken, too", async () => {
    const form = new FormData();
    form.append("file", new File([makeRpm({ name: "formed" })], "any.rpm"));
    const answer = await fetch(at("alice/rpm/form/upload"), { method: "PUT", headers: as(alice), body: form });
    expect(answer.status).toBe(201);
    expect(await packagesOf("alice/rpm/form")).toEqual(["formed 0:1.0-1"]);
  });

  const whole = makeRpm({ name: "refused" });
  test.each([
    ["no rpm", Buffer.from("no rpm"), 400, "does not begin with edabeedb"],
    ["nothing", Buffer.alloc(0), 400, "does not begin with edabeedb"],
    ["cut off", whole.subarray(0, 500), 400, "ends within a header"],
    ["cut off in its payload", whole.subarray(0, -1), 400, "bytes follow its signatures"],
    ["damaged", Buffer.concat([whole.subarray(0, -1), Buffer.from("x")]), 400, "payload does not have the sha256"],
    [
      "with a header over the limit",
      makeRpm({ tags: { 1005: { translated: "x".repeat(100_000) } } }),
      400,
      "that are read",
    ],
    ["over the limit", makeRpm({ payload: Buffer.alloc(500_000) }), 413, "500000 bytes"],
    ["named ../", makeRpm({ name: "../../etc/passwd" }), 400, 'its name is "../../etc/passwd"'],
    ["named with a slash in its version", makeRpm({ version: "1/0" }), 400, 'its version is "1/0"'],
    [
      "a bomb of paths",
      makeRpm({
        tags: {
          1116: { numbers: Array<number>(2000).fill(0) },
          1117: Array<string>(2000).fill("a"),
          1118: [`/${"x".repeat(40_000)}/`],
          1030: { numbers: Array<number>(2000).fill(0o100644), bits: 16 },
          1037: { numbers: Array<number>(2000).fill(0) },
        },
      }),
      400,
      "the paths of its files have more than",
    ],
  ])("that is %s is refused, and nothing stays", async (_, bytes, status, message) => {
    const [code, text] = await told(await upload("alice/rpm/refused/upload", bytes));
    expect([code, text]).toEqual([status, expect.stringContaining(message)]);
    expect((await get("alice/rpm/refused/repodata/repomd.xml")).status).toBe(404);
    expect((await alice.api.get("/packages/alice?type=rpm&q=refused")).body).toEqual([]);
  });

  test.each([
    ["..%2f..%2fx/upload", 400],
    [".hidden/upload", 400],
    ["a//b/upload", 400],
    [`${"g/".repeat(130)}upload`, 400],
    ["upload?sign=maybe", 400],
    ["a/b%ff/upload", 400],
    ["nothing", 404],
    ["repodata/passwd", 404],
  ])("is not taken at %s", async (path, status) => {
    expect((await upload(`alice/rpm/${path}`, {})).status).toBe(status);
  });

  test.each([
    ["POST", "upload", "PUT"],
    ["GET", "upload", "PUT"],
    ["PUT", "repodata/repomd.xml", "GET, HEAD"],
    ["PUT", "package/a/1-1/noarch", "GET, HEAD, DELETE"],
    ["DELETE", "repository.key", "GET, HEAD"],
    ["PUT", "package/a/1-1/errata", "GET, HEAD, POST, DELETE"],
  ])("%s of %s is not possible", async (method, path, allowed) => {
    const answer = await fetch(at(`alice/rpm/${path}`), { method, headers: as(alice) });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
  });

  test("goes from its own group when it is deleted, and the index with the last of the group", async () => {
    for (const group of ["", "deep/er/", "deep/"]) {
      expect((await upload(`alice/rpm/${group}upload`, { name: "first" })).status).toBe(201);
    }
    expect((await upload("alice/rpm/deep/upload", { name: "second", arch: "x86_64" })).status).toBe(201);
    expect(await packagesOf("alice/rpm")).toEqual(["first 0:1.0-1"]);
    expect(await packagesOf("alice/rpm/deep")).toEqual(["first 0:1.0-1", "second 0:1.0-1"]);
    expect(await told(await remove("alice/rpm/deep/package/first/1.0-1/noarch"))).toEqual([204, ""]);
    expect((await remove("alice/rpm/deep/package/first/1.0-1/noarch")).status).toBe(404);
    expect(await packagesOf("alice/rpm/deep")).toEqual(["second 0:1.0-1"]);
    expect(await packagesOf("alice/rpm/deep/er")).toEqual(["first 0:1.0-1"]);
    expect((await remove("alice/rpm/deep/package/second/1.0-1/x86_64/second-1.0-1.x86_64.rpm")).status).toBe(204);
    for (const file of ["repomd.xml", "repomd.xml.asc", "primary.xml.gz", "updateinfo.xml.gz"]) {
      expect((await get(`alice/rpm/deep/repodata/${file}`)).status).toBe(404);
    }
    expect(await packagesOf("alice/rpm")).toEqual(["first 0:1.0-1"]);
  });

  test("that is deleted by the API leaves the index", async () => {
    expect((await upload("alice/rpm/api/upload", { name: "stays" })).status).toBe(201);
    expect((await upload("alice/rpm/api/upload", { name: "goes" })).status).toBe(201);
    expect((await alice.api.delete("/packages/alice/rpm/goes/1.0-1")).status).toBe(204);
    await until("the index is published", async () => (await packagesOf("alice/rpm/api")).length === 1);
    expect(await packagesOf("alice/rpm/api")).toEqual(["stays 0:1.0-1"]);
  });
});

describe("an index", () => {
  test("is signed, and has an ETag but no time", async () => {
    expect((await upload("alice/rpm/signed/upload", {})).status).toBe(201);
    const repomd = await get("alice/rpm/signed/repodata/repomd.xml");
    const { headers } = repomd;
    expect([headers.get("content-type"), headers.get("last-modified")]).toEqual(["text/xml; charset=utf-8", null]);
    const bytes = new Uint8Array(await repomd.arrayBuffer());
    const again = await get("alice/rpm/signed/repodata/repomd.xml", { "if-none-match": headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
    const head = await fetch(at("alice/rpm/signed/repodata/repomd.xml"), { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, `${bytes.length}`]);
    const armoredSignature = await (await get("alice/rpm/signed/repodata/repomd.xml.asc")).text();
    expect(await isSigned("alice", bytes, { armoredSignature })).toBe(true);
    expect(await isSigned("alice", bytes.subarray(1), { armoredSignature })).toBe(false);
    for (const [, href = "", sha256, type] of Buffer.from(bytes)
      .toString()
      .matchAll(/href="repodata\/((\w+)-(\w+)\.xml\.gz)"/g)) {
      const fixed = await (await get(`alice/rpm/signed/repodata/${type}.xml.gz`)).bytes();
      expect([href, sha256Of(fixed)]).toEqual([href, sha256!]);
    }
    const key = await (await get("alice/rpm/repository.key")).text();
    expect(await (await get("alice/rpm/signed/repodata/repomd.xml.key")).text()).toBe(key);
  });

  test("that is replaced between two requests of a client is still whole for that client", async () => {
    expect((await upload("alice/rpm/moving/upload", { version: "1" })).status).toBe(201);
    const before = new Uint8Array(await (await get("alice/rpm/moving/repodata/repomd.xml")).arrayBuffer());
    expect((await upload("alice/rpm/moving/upload", { version: "2" })).status).toBe(201);
    const armoredSignature = await (await get("alice/rpm/moving/repodata/repomd.xml.asc")).text();
    expect(await isSigned("alice", before, { armoredSignature })).toBe(true);
    const [, href = ""] = /href="(.*primary.*)"/.exec(Buffer.from(before).toString()) ?? [];
    const primary = await get(`alice/rpm/moving/${href}`);
    expect(gunzipSync(await primary.bytes()).toString()).toContain('packages="1"');
    expect((await get(`alice/rpm/moving/${href.replace("primary", "other")}`)).status).toBe(404);
    expect(await packagesOf("alice/rpm/moving")).toHaveLength(2);
    const after = new Uint8Array(await (await get("alice/rpm/moving/repodata/repomd.xml")).arrayBuffer());
    const newer = await (await get("alice/rpm/moving/repodata/repomd.xml.asc")).text();
    expect([await isSigned("alice", after, { armoredSignature: newer }), newer === armoredSignature]).toEqual([
      true,
      false,
    ]);
  });

  test("has all of twenty packages that come at once", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `package${String(at).padStart(2, "0")}`);
    const statuses = await Promise.all(
      names.map(async (name) => (await upload("alice/rpm/many/upload", { name })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(await packagesOf("alice/rpm/many")).toEqual(names.map((name) => `${name} 0:1.0-1`));
  });
});

test("a package is signed with the registry's key before it is stored, if that is wanted", async () => {
  const rpm = makeRpm({ name: "signed", signatureTags: { 268: Buffer.from("another") } });
  expect((await upload("alice/rpm/sign/upload?sign=true", rpm)).status).toBe(201);
  expect((await upload("alice/rpm/sign/upload?sign=false", { name: "unsigned" })).status).toBe(201);
  const stored = await (await get("alice/rpm/sign/package/signed/1.0-1/noarch")).blob();
  const { signatures, main, payloadStart } = await readRpm(stored, 100_000);
  expect(await isSigned("alice", main.bytes, { binarySignature: signatures.binary(268)! })).toBe(true);
  expect(Buffer.from(await stored.slice(payloadStart).arrayBuffer()).equals(rpm.subarray(-124))).toBe(true);
  const primary = gunzipSync(await (await get("alice/rpm/sign/repodata/primary.xml.gz")).bytes()).toString();
  expect(primary).toContain(sha256Of(new Uint8Array(await stored.arrayBuffer())));
  expect(primary).toContain(`end="${payloadStart}"`);
  const unsigned = await (await get("alice/rpm/sign/package/unsigned/1.0-1/noarch")).blob();
  expect((await readRpm(unsigned, 100_000)).signatures.has(268)).toBe(false);
  expect(
    (await upload("alice/rpm/sign/upload?sign=true", { name: "six", tags: { 5114: { numbers: [6] } } })).status,
  ).toBe(400);
});

test("the key is of its owner alone", async () => {
  const [mine, again, other] = await Promise.all(
    ["alice", "alice", "bob"].map(async (owner) => (await get(`${owner}/rpm/repository.key`)).text()),
  );
  expect([mine === again, mine === other]).toEqual([true, false]);
  const key = await readKey({ armoredKey: mine! });
  expect(key.users.map(({ userID }) => userID?.userID)).toEqual(["RPM Registry"]);
  expect(key.getAlgorithmInfo()).toMatchObject({ algorithm: "rsaEncryptSign", bits: 3072 });
});

test.each([
  ["rpm.repo", "gitea-alice", "alice", ""],
  ["rpm/el9.repo", "gitea-alice-el9", "alice - el9", "/el9"],
  ["rpm/rocky/el9.repo", "gitea-alice-rocky-el9", "alice - rocky - el9", "/rocky/el9"],
])("%s tells clients of a group", async (path, id, name, group) => {
  const expected = `[${id}]\nname=${name}\nbaseurl=${app.url}/api/packages/alice/rpm${group}\nenabled=1\ngpgcheck=1\ngpgkey=${app.url}/api/packages/alice/rpm/repository.key\n`;
  const answer = await get(`alice/${path}`);
  expect([answer.status, await answer.text()]).toEqual([200, expected]);
  const head = await fetch(at(`alice/${path}`), { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${expected.length}`, ""]);
});
