import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { missingPrograms, runProgram, ScratchDirectory, tryProgram } from "../shared/run-program.ts";
import { apkParts, makeApk } from "./make-apk.ts";
import { membersOf, readSignedIndex } from "./read-index.ts";

const noClient = missingPrograms("the registry of Alpine packages", ["go", "openssl"]);
const app = await useTestApp({ packages: { file_limit_bytes: 200_000 } });
const alice = await app.user("Alice");
const bob = await app.user("bob");

const registry = `${app.url}/api/packages/Alice/alpine`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
type Content = string | Uint8Array<ArrayBuffer> | FormData;
const upload = (apk: Content, place = "v3.20/main", headers: Record<string, string> = as(alice), to = registry) =>
  fetch(`${to}/${place}`, { method: "PUT", body: apk, headers });
const remove = (path: string, headers: Record<string, string> = as(alice)) =>
  fetch(`${registry}/${path}`, { method: "DELETE", headers });
const bytesOf = async (path: string) => {
  const answer = await fetch(`${registry}/${path}`);
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null;
};

const key = async () => {
  const answer = await fetch(`${registry}/key`);
  const [, name = ""] = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  return { name, pem: await answer.text(), type: answer.headers.get("content-type") };
};

/** The records of an index, when its signature is good. */
async function readIndex(path: string): Promise<string | null> {
  const bytes = await bytesOf(`${path}/APKINDEX.tar.gz`);
  return bytes === null ? null : readSignedIndex(bytes, await key());
}

const namesIn = async (path: string) =>
  [...((await readIndex(path)) ?? "").matchAll(/^P:(.*)\nV:(.*)\nA:(.*)$/gm)]
    .map(([, name, version, arch]) => `${name} ${version} ${arch}`)
    .sort();

/** A key of 4,096 bits takes seconds to make, and on a busy machine many: hence the time limits of two tests. */

test("a package is uploaded by those who may write, once, and stands in a signed index", async () => {
  const reader = await app.token(alice, ["read:package"]);
  for (const headers of [{}, as(bob), { authorization: `token ${reader}` }] as Record<string, string>[]) {
    const refused = await upload(makeApk(), "v3.20/main", headers);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Gitea Package API"']);
  }
  expect(await readIndex("v3.20/main/x86_64")).toBeNull();
  const made = {
    more: [
      "url = https://example.test/",
      "origin = hello-src",
      "maintainer = A. Smith <smith@example.test>",
      "builddate = 1700000000",
      "commit = 0123abc",
      "depend = so:libc.musl-x86_64.so.1",
      "depend = busybox>=1.36",
      "provides = cmd:hello=1.0-r0",
      "install_if = docs hello",
      "provider_priority = 10",
    ],
  };
  const apk = makeApk(made);
  const taken = await upload(apk);
  expect([taken.status, await taken.text()]).toEqual([201, ""]);
  const again = await upload(apk);
  expect([again.status, await again.text()]).toEqual([409, "package file already exists\n"]);
  const [, control] = apkParts(made);
  expect(await readIndex("v3.20/main/x86_64")).toBe(
    `${[
      `C:Q1${createHash("sha1").update(control).digest("base64")}`,
      "P:hello",
      "V:1.0-r0",
      "A:x86_64",
      `S:${apk.length}`,
      "I:4096",
      "T:A package: of a test",
      "U:https://example.test/",
      "L:MIT",
      "o:hello-src",
      "m:A. Smith <smith@example.test>",
      "t:1700000000",
      "c:0123abc",
      "D:so:libc.musl-x86_64.so.1 busybox>=1.36",
      "p:cmd:hello=1.0-r0",
      "i:docs hello",
      "k:10",
    ].join("\n")}\n\n`,
  );
  expect(await bytesOf("v3.20/main/x86_64/hello-1.0-r0.apk")).toEqual(apk);
  const head = await fetch(`${registry}/v3.20/main/x86_64/hello-1.0-r0.apk`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(apk.length)]);
  // The same file may be elsewhere, too.
  expect((await upload(apk, "edge/main")).status).toBe(201);
  expect((await alice.api.get("/packages/Alice/alpine/hello/1.0-r0")).body).toMatchObject({
    type: "alpine",
    name: "hello",
    version: "1.0-r0",
  });
});

test("the key is called after its owner and its digest, and stays", async () => {
  const { name, pem, type } = await key();
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  expect(name).toBe(`alice@${createHash("sha256").update(der).digest("hex")}.rsa.pub`);
  expect(type).toBe("application/x-pem-file");
  expect(await key()).toEqual({ name, pem, type });
});

test("an index has an ETag and no Last-Modified", async () => {
  const asked = await fetch(`${registry}/v3.20/main/x86_64/APKINDEX.tar.gz`);
  expect([asked.headers.get("content-type"), asked.headers.get("last-modified")]).toEqual(["application/gzip", null]);
  const etag = asked.headers.get("etag") ?? "";
  const since = { "if-modified-since": new Date(Date.now() + 60_000).toUTCString() };
  expect((await fetch(asked.url, { headers: since })).status).toBe(200);
  expect((await fetch(asked.url, { headers: { "if-none-match": etag } })).status).toBe(304);
});

test("an architecture that would make too many indexes is refused", async () => {
  const place = "v3.20/wide";
  expect((await upload(makeApk({ name: "first" }), place)).status).toBe(201);
  // As if 31 architectures more had come by themselves.
  await app.forge.database.sql`insert into package_stanza (file_id, owner_id, type, index_name, part, sort, content)
    select file_id, owner_id, type, index_name, 'a' || n, sort, content from package_stanza, generate_series(2, 32) n
      where index_name = ${place}`;
  const refused = await upload(makeApk({ name: "second", arch: "a33" }), place);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    "A repository has packages of at most 32 architectures\n",
  ]);
  expect((await upload(makeApk({ name: "second", arch: "a32" }), place)).status).toBe(201);
});

test("a package for all architectures is in each index, and is served below each", async () => {
  const place = "v3.20/any";
  const any = makeApk({ name: "docs", arch: "noarch" });
  expect((await upload(any, place)).status).toBe(201);
  expect(await namesIn(`${place}/x86_64`)).toEqual(["docs 1.0-r0 noarch"]);
  expect((await upload(makeApk({ name: "tool", arch: "aarch64" }), place)).status).toBe(201);
  expect(await namesIn(`${place}/aarch64`)).toEqual(["docs 1.0-r0 aarch64", "tool 1.0-r0 aarch64"]);
  expect(await namesIn(`${place}/x86_64`)).toEqual(["docs 1.0-r0 noarch"]);
  for (const architecture of ["x86_64", "aarch64", "noarch"]) {
    expect(await bytesOf(`${place}/${architecture}/docs-1.0-r0.apk`)).toEqual(any);
  }
  expect(await bytesOf(`${place}/x86_64/tool-1.0-r0.apk`)).toBeNull();
  expect((await remove(`${place}/aarch64/docs-1.0-r0.apk`)).status).toBe(204);
  expect(await namesIn(`${place}/aarch64`)).toEqual(["tool 1.0-r0 aarch64"]);
  expect(await readIndex(`${place}/x86_64`)).toBeNull();
});

test("a deleted package leaves the index, through either door; an index without packages is gone", async () => {
  const place = "v3.20/deleted";
  for (const version of ["1.0-r0", "1.0-r1", "2.0_rc1"]) {
    expect((await upload(makeApk({ version, name: "gone-2" }), place)).status).toBe(201);
  }
  const path = `${place}/x86_64/gone-2-1.0-r0.apk`;
  expect((await remove(path, {})).status).toBe(401);
  expect((await remove(path, as(bob))).status).toBe(401);
  expect((await remove(path)).status).toBe(204);
  expect((await remove(path)).status).toBe(404);
  expect(await namesIn(`${place}/x86_64`)).toEqual(["gone-2 1.0-r1 x86_64", "gone-2 2.0_rc1 x86_64"]);
  expect((await alice.api.delete("/packages/Alice/alpine/gone-2/1.0-r1")).status).toBe(204);
  await app.forge.packageIndexes.publish({ ownerId: alice.id, type: "alpine", name: place });
  expect(await namesIn(`${place}/x86_64`)).toEqual(["gone-2 2.0_rc1 x86_64"]);
  expect((await remove(`${place}/x86_64/gone-2-2.0_rc1.apk`)).status).toBe(204);
  expect(await readIndex(`${place}/x86_64`)).toBeNull();
});

test("twenty uploads at once are all in an index that was whole at every moment", async () => {
  const place = "edge/crowd";
  await upload(makeApk({ name: "first" }), place);
  const names = Array.from({ length: 20 }, (_, at) => `crowd${at}`);
  const state = { uploading: true };
  const watch = async () => {
    while (state.uploading) {
      // Checks the signature.
      expect(await namesIn(`${place}/x86_64`)).toContain("first 1.0-r0 x86_64");
    }
  };
  const watching = watch();
  const answers = await Promise.all(names.map((name) => upload(makeApk({ name }), place)));
  state.uploading = false;
  await watching;
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
  expect(await namesIn(`${place}/x86_64`)).toEqual(["first", ...names].map((name) => `${name} 1.0-r0 x86_64`).sort());
});

describe("refused", () => {
  const [signature, control, data] = apkParts({ name: "bad" });
  const bomb = zlib.gzipSync(new Uint8Array(40_000_000));
  test.each<[string, () => Content, number]>([
    ["what is no gzip", () => "not a package", 400],
    ["nothing", () => "", 400],
    ["a package of version 3", () => "ADBd....", 400],
    ["signatures alone", () => signature, 400],
    ["data alone", () => data, 400],
    ["no data", () => Buffer.concat([signature, control]), 400],
    ["data that is cut off", () => Buffer.concat([signature, control, data.subarray(0, -20)]), 400],
    ["data of another package", () => Buffer.concat([signature, control, apkParts({ name: "else" })[2]]), 400],
    ["control that is cut off", () => Buffer.concat([signature, control.subarray(0, -20)]), 400],
    ["a control segment that is a bomb", () => Buffer.concat([signature, bomb, data]), 400],
    [
      "no digest, and data that is no tar",
      () => Buffer.concat([apkParts({ datahash: null })[1], zlib.gzipSync("x".repeat(2000))]),
      400,
    ],
    ["nine signatures", () => Buffer.concat([...Array.from({ length: 9 }, () => signature), control, data]), 400],
    ["no name", () => makeApk({ name: "" }), 400],
    ["a name that climbs out", () => makeApk({ name: "../up" }), 400],
    ["a version that is none", () => makeApk({ version: "one" }), 400],
    ["a version with a slash", () => makeApk({ version: "1.0/2" }), 400],
    ["no architecture", () => makeApk({ arch: "" }), 400],
    ["an architecture that climbs out", () => makeApk({ arch: ".." }), 400],
    ["a tab in a field", () => makeApk({ more: ["origin = a\tb"] }), 400],
    ["a package that is too large", () => new Uint8Array(200_001), 413],
  ])("is %s, and nothing stays", async (_, make, status) => {
    const count = async () =>
      (await app.forge.database.sql`select count(*)::int as n from package_file`)[0]?.["n"] as number;
    const before = await count();
    expect([(await upload(make(), "v3.20/refused")).status, await count()]).toEqual([status, before]);
  });

  test.each(["..%2f/main", "v3.20/..%2fmain", "v3.20/%20", ".v3/main", `${"v".repeat(101)}/main`])(
    "is a place such as %s",
    async (place) => {
      expect((await upload(makeApk({ name: "placed" }), place)).status).toBe(400);
    },
  );

  test("are methods that a route does not have", async () => {
    const methods = async (path: string) =>
      (await fetch(`${registry}/${path}`, { method: "POST", headers: as(alice) })).headers.get("allow");
    expect(await methods("key")).toBe("GET, HEAD");
    expect(await methods("v3.20/main")).toBe("PUT");
    expect(await methods("v3.20/main/x86_64/hello-1.0-r0.apk")).toBe("GET, HEAD, DELETE");
  });
});

test("a package without signatures and without a digest of its data is taken", async () => {
  expect((await upload(makeApk({ name: "bare", signature: null, datahash: null }), "edge/bare")).status).toBe(201);
  expect(await namesIn("edge/bare/x86_64")).toEqual(["bare 1.0-r0 x86_64"]);
});

test("of a private owner all is hidden, the key, too", async () => {
  await alice.api.post("/orgs", { username: "vault", visibility: "private" });
  const vault = `${app.url}/api/packages/vault/alpine`;
  expect((await upload(makeApk(), "v3.20/main", as(alice), vault)).status).toBe(201);
  for (const path of ["key", "v3.20/main/x86_64/APKINDEX.tar.gz", "v3.20/main/x86_64/hello-1.0-r0.apk"]) {
    expect((await fetch(`${vault}/${path}`)).status).toBe(401);
    expect((await fetch(`${vault}/${path}`, { headers: as(bob) })).status).toBe(404);
    expect((await fetch(`${vault}/${path}`, { headers: as(alice) })).status).toBe(200);
  }
});

test.if(!noClient)(
  "a client installs what was published, checks who signed the index, and upgrades",
  async () => {
    using scratch = new ScratchDirectory();
    const at = (...parts: string[]) => join(scratch.path, ...parts);
    const client = at("apk");
    const goDirectory = join(import.meta.dir, "..", "..", "clients", "apk");
    const { HOME = scratch.path } = process.env;
    await runProgram(["go", "build", "-o", client, "."], { cwd: goDirectory, env: { ...process.env, HOME } as never });
    const { name, pem } = await key();
    writeFileSync(at(name), pem);
    const install = (root: string, keyFile: string) => {
      mkdirSync(at(root));
      const place = `${registry}/edge/client`;
      return tryProgram([client, at(root), "x86_64", place, at(keyFile), "tool"], { env: { HOME: scratch.path } });
    };
    await upload(makeApk({ name: "library", arch: "noarch" }), "edge/client");
    await upload(makeApk({ name: "tool", more: ["depend = library"] }), "edge/client");
    expect(await install("one", name)).toMatchObject({ status: 0, stdout: "library 1.0-r0\ntool 1.0-r0\n" });
    expect(readFileSync(at("one", "usr/share/tool"), "utf8")).toBe("tool 1.0-r0\n");
    expect(readFileSync(at("one", "usr/share/library"), "utf8")).toBe("library 1.0-r0\n");
    await upload(makeApk({ name: "tool", version: "1.1-r0", more: ["depend = library"] }), "edge/client");
    expect((await install("two", name)).stdout).toBe("library 1.0-r0\ntool 1.1-r0\n");
    await remove("edge/client/x86_64/tool-1.1-r0.apk");
    expect((await install("three", name)).stdout).toBe("library 1.0-r0\ntool 1.0-r0\n");
    const made = await runProgram(["openssl", "genrsa", "-out", at("other.key"), "2048"]);
    expect(made).toBe("");
    await runProgram(["openssl", "rsa", "-in", at("other.key"), "-pubout", "-out", at("other.rsa.pub")]);
    const refused = await install("four", "other.rsa.pub");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("no key found to verify signature")]);
  },
  300_000,
);

test.if(!noClient)("openssl accepts the signature of an index", async () => {
  using scratch = new ScratchDirectory();
  const at = (name: string) => join(scratch.path, name);
  const [signed = Buffer.alloc(0), index = Buffer.alloc(0)] = membersOf(
    (await bytesOf("v3.20/main/x86_64/APKINDEX.tar.gz")) ?? Buffer.alloc(0),
  );
  writeFileSync(at("signature"), zlib.gunzipSync(signed).subarray(512));
  writeFileSync(at("index"), index);
  writeFileSync(at("key.pem"), (await key()).pem);
  const verify = () =>
    tryProgram(["openssl", "dgst", "-sha1", "-verify", at("key.pem"), "-signature", at("signature"), at("index")]);
  expect(await verify()).toMatchObject({ status: 0, stdout: "Verified OK\n" });
  writeFileSync(at("index"), Buffer.concat([index, Buffer.from("x")]));
  expect((await verify()).status).toBe(1);
});
