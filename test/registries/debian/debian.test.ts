import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { useTestApp } from "../../support/test-app.ts";
import { missingPrograms, ScratchDirectory, tryProgram } from "../shared/run-program.ts";
import { smallDeb as deb } from "./deb.ts";
import { DebianRegistry } from "./registry.ts";

const isMissing = missingPrograms("signatures of distributions", ["gpg", "gpgv", "sqv"]);
const app = await useTestApp({ packages: { file_limit_bytes: 100_000 } });
const alice = await app.user("alice");
const bob = await app.user("bob");
const registry = new DebianRegistry(app, alice);
const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());

const told = async (answer: Response) => [answer.status, await answer.text()] as const;
const basic = (user: string, password: string) => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` });

describe("an upload", () => {
  test("needs the right to write the owner's packages, and is asked for it", async () => {
    const reader = await app.token(alice, ["read:package"]);
    const other = await app.token(alice, ["write:repository"]);
    for (const headers of [
      {},
      basic("bob", bob.token),
      basic("alice", "wrong"),
      basic("alice", reader),
      basic("alice", other),
    ] as Record<string, string>[]) {
      const answer = await registry.put(deb("refused"), "stable/main", headers);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Gitea Package API"']);
      expect(
        (await fetch(`${registry.url}/pool/stable/main/refused/1.0/all`, { method: "DELETE", headers })).status,
      ).toBe(401);
    }
    expect((await registry.get("pool/stable/main/refused_1.0_all.deb")).status).toBe(404);
    expect((await registry.get("dists/stable/InRelease")).status).toBe(404);
  });

  test.each([
    ["nothing", new Uint8Array(0), "The file is no Debian package: it does not begin as an ar archive does"],
    ["a text", Buffer.from("hello"), "The file is no Debian package: it does not begin as an ar archive does"],
    ["a package that ends early", deb("cut").subarray(0, -100), "The package ends too early"],
    ["a name that leads elsewhere", deb("../../other"), '"../../other" is no Package of a Debian package'],
    ["a package without a version", deb("unversioned", ""), "The control file has no Version"],
  ])("of %s is refused with the reason", async (_, body, message) => {
    expect(await told(await registry.put(new Uint8Array(body), "wrong/main"))).toEqual([400, `${message}\n`]);
    expect((await registry.get("dists/wrong/InRelease")).status).toBe(404);
  });

  test("over the limit is refused", async () => {
    expect((await registry.put(new Uint8Array(100_001))).status).toBe(413);
  });

  test.each(["..%2F..%2Fetc/main", "stable/..%2Fmain", "a%20b/main", "stable/a%0Ab", ".hidden/main", "a%7Cb/main"])(
    "to a distribution or a component that is no name is refused: %s",
    async (place) => {
      const [status, text] = await told(await registry.put(deb("misplaced"), place));
      expect(status).toBe(400);
      expect(text).toContain("is no name of a");
    },
  );

  test("with another method than PUT is refused, with those that there are", async () => {
    const answer = await fetch(`${registry.url}/pool/stable/main/upload`, { method: "POST", body: "x" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "PUT"]);
  });

  test("of the same file to the same component is a conflict, and to another one is not", async () => {
    const bytes = deb("twice", "1.0", "amd64");
    expect(await told(await registry.put(bytes, "twice/main"))).toEqual([201, ""]);
    expect(await told(await registry.put(bytes, "twice/main"))).toEqual([409, "package file already exists\n"]);
    expect((await registry.put(bytes, "twice/contrib")).status).toBe(201);
    expect((await registry.put(bytes, "thrice/main")).status).toBe(201);
    expect((await registry.put(deb("twice", "1.0", "arm64"), "twice/main")).status).toBe(201);
    const { body } = await alice.api.get<{ name: string; Size: number }[]>("/packages/alice/debian/twice/1.0/files");
    expect(body.map(({ name, Size }) => [name, Size])).toEqual([
      ["twice_1.0_amd64.deb", bytes.length],
      ["twice_1.0_amd64.deb", bytes.length],
      ["twice_1.0_amd64.deb", bytes.length],
      ["twice_1.0_arm64.deb", bytes.length],
    ]);
  });

  test("that would make too many lists is refused", async () => {
    await registry.publish(deb("wide", "1.0", "amd64"), "wide/c1");
    // As if 19 components more, and four architectures, had come by themselves.
    await app.forge.database.sql`insert into package_stanza (file_id, owner_id, type, index_name, part, sort, content)
      select file_id, owner_id, type, index_name, part_name, sort, content from package_stanza,
        (select 'c' || n || '/binary-amd64' from generate_series(2, 20) n union select 'c1/binary-a' || n from generate_series(2, 5) n) parts (part_name)
      where index_name = 'wide'`;
    const message = "A distribution has at most 100 lists: its components times its architectures\n";
    expect(await told(await registry.put(deb("wider", "1.0", "amd64"), "wide/c21"))).toEqual([400, message]);
    expect(await told(await registry.put(deb("wider", "1.0", "a6"), "wide/c1"))).toEqual([400, message]);
    expect((await registry.put(deb("wider", "1.0", "a5"), "wide/c20")).status).toBe(201);
  });

  test("may be a part of a form", async () => {
    const form = new FormData();
    form.set("file", new Blob([deb("formed")]), "formed.deb");
    const url = `${registry.url}/pool/form/main/upload`;
    expect((await fetch(url, { method: "PUT", body: form, headers: registry.headers })).status).toBe(201);
    expect((await registry.get("pool/form/main/formed_1.0_all.deb")).status).toBe(200);
  });
});

describe("a package", () => {
  const bytes = deb("lib+x", "2:1.0+b1~rc1-1", "amd64");
  // As apt encodes it: the colon as it is, and hexadecimal digits in lower case.
  const path = "pool/files/main/lib+x_2:1.0%2bb1%7erc1-1_amd64.deb";
  beforeAll(() => registry.publish(bytes, "files/main"));

  test("is served whole, in parts and to HEAD, by the name that its index has", async () => {
    const whole = await registry.get(path);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-type")).toBe("application/vnd.debian.binary-package");
    expect(whole.headers.get("content-disposition")).toContain("attachment");
    expect(Buffer.from(await whole.bytes()).equals(bytes)).toBe(true);
    const part = await registry.get(path, { range: "bytes=0-6" });
    expect([part.status, await part.text()]).toEqual([206, "!<arch>"]);
    const head = await fetch(`${registry.url}/${path}`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(bytes.length),
      "",
    ]);
  });

  test.each([
    "pool/files/contrib/lib+x_2:1.0+b1~rc1-1_amd64.deb",
    "pool/other/main/lib+x_2:1.0+b1~rc1-1_amd64.deb",
    "pool/files/main/lib+x_1.0+b1~rc1-1_amd64.deb",
    "pool/files/main/lib+x_2:1.0+b1~rc1-1_arm64.deb",
    "pool/files/main/lib+x",
    "pool/files/main/..%2F..%2Fx",
  ])("of another name or place is not there: %s", async (other) => {
    expect((await registry.get(other)).status).toBe(404);
  });

  test("is deleted once, and its version with its last file", async () => {
    await registry.publish(deb("brief", "1.0", "amd64"), "brief/main");
    await registry.publish(deb("brief", "1.0", "arm64"), "brief/main");
    expect((await registry.delete("brief/main/brief/1.0/i386")).status).toBe(404);
    expect(await told(await registry.delete("brief/main/brief/1.0/arm64"))).toEqual([204, ""]);
    expect((await registry.delete("brief/main/brief/1.0/arm64")).status).toBe(404);
    expect((await registry.get("dists/brief/main/binary-arm64/Packages")).status).toBe(404);
    expect((await alice.api.get("/packages/alice/debian/brief/1.0")).status).toBe(200);
    expect((await registry.get("dists/brief/InRelease")).status).toBe(200);
    expect((await registry.delete("brief/main/brief/1.0/amd64")).status).toBe(204);
    expect((await alice.api.get("/packages/alice/debian/brief/1.0")).status).toBe(404);
    for (const name of ["InRelease", "Release", "Release.gpg", "main/binary-amd64/Packages.gz"]) {
      expect((await registry.get(`dists/brief/${name}`)).status).toBe(404);
    }
  });
});

/** The hashes that a Release has for a file of the distribution. */
function hashesOf(release: string, file: string): Record<string, [hash: string, size: string]> {
  const found: Record<string, [string, string]> = {};
  let block = "";
  for (const line of release.split("\n")) {
    const [, hash, size, path] = /^ ([0-9a-f]+) (\d+) (.*)$/.exec(line) ?? [];
    if (path === undefined) {
      block = line.replace(/:$/, "");
    } else if (path === file) {
      found[block] = [hash!, size!];
    }
  }
  return found;
}

describe("a distribution", () => {
  const namesIn = (packages: string) => [...packages.matchAll(/^Filename: (.*)$/gm)].map(([, name]) => name);

  test("lists what is for all architectures with each of them, and names every file in its Release", async () => {
    await registry.publish(deb("tool", "1.0", "amd64"), "listed/main");
    await registry.publish(deb("tool", "1.0", "arm64"), "listed/main");
    await registry.publish(deb("docs", "1.0"), "listed/main");
    await registry.publish(deb("extra", "1.0", "arm64"), "listed/contrib");
    const release = await registry.text("dists/listed/Release");
    expect(
      release
        .split("\n")
        .slice(0, 8)
        .map((line) => line.replace(/^Date: .*/, "Date: …")),
    ).toEqual([
      "Origin: Stithy",
      "Label: Stithy",
      "Suite: listed",
      "Codename: listed",
      "Date: …",
      "Architectures: all amd64 arm64",
      "Components: contrib main",
      "Acquire-By-Hash: yes",
    ]);
    const lists = {
      "main/binary-all": ["docs_1.0_all"],
      "main/binary-amd64": ["docs_1.0_all", "tool_1.0_amd64"],
      "main/binary-arm64": ["docs_1.0_all", "tool_1.0_arm64"],
      "contrib/binary-arm64": ["extra_1.0_arm64"],
    };
    const listed = new Set([...release.matchAll(/^ [0-9a-f]+ \d+ (.*)$/gm)].map(([, path]) => path!));
    expect([...listed]).toEqual(
      [
        "contrib/binary-arm64/Packages",
        "main/binary-all/Packages",
        "main/binary-amd64/Packages",
        "main/binary-arm64/Packages",
      ].flatMap((path) => [path, `${path}.gz`]),
    );
    for (const [directory, names] of Object.entries(lists)) {
      const component = directory.split("/")[0];
      const text = await registry.text(`dists/listed/${directory}/Packages`);
      expect(namesIn(text).sort()).toEqual(names.map((name) => `pool/listed/${component}/${name}.deb`));
      const packed = await (await registry.get(`dists/listed/${directory}/Packages.gz`)).bytes();
      expect(gunzipSync(packed).toString()).toBe(text);
      for (const [name, content] of [
        [`${directory}/Packages`, Buffer.from(text)],
        [`${directory}/Packages.gz`, packed],
      ] as const) {
        const sum = (algorithm: string) => createHash(algorithm).update(content).digest("hex");
        const size = String(content.length);
        const hashes = hashesOf(release, name);
        expect(hashes).toEqual({
          MD5Sum: [sum("md5"), size],
          SHA1: [sum("sha1"), size],
          SHA256: [sum("sha256"), size],
          SHA512: [sum("sha512"), size],
        });
        for (const [block, [hash]] of Object.entries(hashes)) {
          const answer = await registry.get(`dists/listed/${directory}/by-hash/${block}/${hash}`);
          expect(Buffer.from(await answer.bytes()).equals(content)).toBe(true);
        }
      }
    }
    expect((await registry.get("dists/listed/main/binary-amd64/Packages.xz")).status).toBe(404);
    expect((await registry.get("dists/listed/contrib/binary-amd64/Packages")).status).toBe(404);
    const hash = "0".repeat(64);
    expect((await registry.get(`dists/listed/main/binary-all/by-hash/SHA256/${hash}`)).status).toBe(404);
  });

  test.skipIf(isMissing)(
    "is signed by the owner's key, in both ways, and the key is the same for all of them",
    async () => {
      await registry.publish(deb("first"), "one/main");
      await registry.publish(deb("second"), "two/main");
      const at = (name: string) => join(scratch.path, name);
      const answer = await registry.get("repository.key");
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pgp-keys"]);
      await Bun.write(at("key.asc"), await answer.text());
      await tryProgram(["gpg", "--homedir", scratch.path, "--output", at("key.gpg"), "--dearmor", at("key.asc")]);
      const env = { HOME: scratch.path };
      for (const distribution of ["one", "two"]) {
        for (const name of ["Release", "Release.gpg", "InRelease"]) {
          await Bun.write(at(name), await registry.text(`dists/${distribution}/${name}`));
        }
        const gpgv = ["gpgv", "--keyring", at("key.gpg")];
        expect((await tryProgram([...gpgv, at("Release.gpg"), at("Release")], { env })).status).toBe(0);
        expect((await tryProgram([...gpgv, "--output", at("read"), at("InRelease")], { env })).status).toBe(0);
        expect(await Bun.file(at("read")).text()).toBe(await Bun.file(at("Release")).text());
        const sqv = ["sqv", "--keyring", at("key.asc"), at("Release.gpg"), at("Release")];
        expect((await tryProgram(sqv)).status).toBe(0);
      }
      expect(await new DebianRegistry(app, bob).text("repository.key")).not.toBe(await Bun.file(at("key.asc")).text());
    },
  );

  test("keeps what its former Releases name, for clients between two files", async () => {
    const lists: string[] = [];
    const hashes: string[] = [];
    for (const version of ["1.0", "1.1", "1.2"]) {
      await registry.publish(deb("moving", version), "moving/main");
      lists.push(await registry.text("dists/moving/main/binary-all/Packages"));
      const release = await registry.text("dists/moving/Release");
      hashes.push(hashesOf(release, "main/binary-all/Packages")["SHA512"]![0]);
    }
    for (const [at, hash] of hashes.entries()) {
      expect(await registry.text(`dists/moving/main/binary-all/by-hash/SHA512/${hash}`)).toBe(lists[at]!);
    }
    expect(namesIn(lists[2]!)).toHaveLength(3);
  });

  test("is compared by its ETag alone", async () => {
    await registry.publish(deb("tagged"), "tagged/main");
    const answer = await registry.get("dists/tagged/InRelease");
    const etag = answer.headers.get("etag") ?? "";
    expect(answer.headers.get("last-modified")).toBeNull();
    expect((await registry.get("dists/tagged/InRelease", { "if-none-match": etag })).status).toBe(304);
    const later = new Date(Date.now() + 60_000).toUTCString();
    expect((await registry.get("dists/tagged/InRelease", { "if-modified-since": later })).status).toBe(200);
    await registry.publish(deb("tagged", "2.0"), "tagged/main");
    expect((await registry.get("dists/tagged/InRelease", { "if-none-match": etag })).status).toBe(200);
  });

  test("is not read by its hash any more when it names what has become private", async () => {
    const turned = await app.repository(alice, "turned");
    await registry.publish(deb("kept"), "turning/main");
    await registry.publish(deb("leaving"), "turning/main");
    expect((await alice.api.post(`/packages/alice/debian/leaving/-/link/${turned.name}`)).status).toBe(201);
    const index = { ownerId: alice.id, type: "debian" as const, name: "turning" };
    await app.forge.packageIndexes.publish(index);
    const [hash] = hashesOf(await registry.text("dists/turning/Release"), "main/binary-all/Packages")["SHA256"]!;
    const byHash = `dists/turning/main/binary-all/by-hash/SHA256/${hash}`;
    expect((await registry.get(byHash)).status).toBe(200);
    expect((await alice.api.patch("/repos/alice/turned", { private: true })).status).toBe(200);
    for (const built of [false, true]) {
      if (built) {
        await app.forge.packageIndexes.publish(index);
      }
      expect({ built, status: (await registry.get(byHash)).status }).toEqual({ built, status: 404 });
      const names = await (await registry.get(byHash, registry.headers)).text();
      expect(namesIn(names)).toHaveLength(2);
    }
    expect(namesIn(await registry.text("dists/turning/main/binary-all/Packages"))).toHaveLength(1);
    const list = await registry.get("dists/turning/main/binary-all/Packages", registry.headers);
    expect(namesIn(await list.text())).toHaveLength(2);
  });

  test("leaves out what a private repository's package is, but for those who manage the owner", async () => {
    const secret = await app.repository(alice, "secret", { private: true });
    await registry.publish(deb("shown"), "linked/main");
    await registry.publish(deb("hidden"), "linked/main");
    expect((await alice.api.post(`/packages/alice/debian/hidden/-/link/${secret.name}`)).status).toBe(201);
    await app.forge.packageIndexes.publish({ ownerId: alice.id, type: "debian", name: "linked" });
    const list = "dists/linked/main/binary-all/Packages";
    expect(namesIn(await registry.text(list))).toEqual(["pool/linked/main/shown_1.0_all.deb"]);
    expect(namesIn(await (await registry.get(list, registry.headers)).text())).toHaveLength(2);
    expect((await registry.get("pool/linked/main/hidden_1.0_all.deb")).status).toBe(404);
    expect((await registry.get("pool/linked/main/hidden_1.0_all.deb", registry.headers)).status).toBe(200);
  });
});
