import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { missingPrograms, runProgram } from "../shared/run-program.ts";
import { GoClient } from "./go-client.ts";
import { makeZip, moduleZip } from "./make-zip.ts";

const noGo = missingPrograms("the registry of Go modules", ["go"]);
const app = await useTestApp({ packages: { file_limit_bytes: 200_000 } });
const alice = await app.user("alice");
const bob = await app.user("bob");

const registry = `${app.url}/api/packages/alice/go`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
type Content = string | Uint8Array<ArrayBuffer> | FormData;
const upload = (zip: Content, headers: Record<string, string> = as(alice), to = registry) =>
  fetch(`${to}/upload`, { method: "PUT", body: zip, headers });
const get = async (path: string) => {
  const answer = await fetch(`${registry}/${path}`);
  return [answer.status, await answer.text()] as const;
};

const tool = (version: string, more: Record<string, string> = {}) =>
  moduleZip(`example.test/Acme/tool@${version}`, {
    "go.mod": "module example.test/Acme/tool\n\ngo 1.18\n",
    "tool.go": `package tool\n\n// Version is what was published.\nconst Version = "${version}"\n`,
    ...more,
  });

test("a module is uploaded by those who may write, once", async () => {
  const reader = await app.token(alice, ["read:package"]);
  for (const headers of [{}, as(bob), { authorization: `token ${reader}` }] as Record<string, string>[]) {
    const refused = await upload(tool("v1.0.0"), headers);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Gitea Package API"']);
  }
  expect((await get("example.test/!acme/tool/@v/list"))[0]).toBe(404);
  const taken = await upload(tool("v1.0.0"));
  expect([taken.status, await taken.text()]).toEqual([201, ""]);
  const again = await upload(tool("v1.0.0", { "more.go": "package tool\n" }));
  expect([again.status, await again.text()]).toEqual([409, "package file already exists\n"]);
  const form = new FormData();
  form.append("file", new File([tool("v1.0.1")], "x.zip"));
  expect((await upload(form)).status).toBe(201);
  const posted = await fetch(`${registry}/upload`, { method: "POST", body: "x", headers: as(alice) });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "PUT"]);
  const removed = await fetch(`${registry}/example.test/!acme/tool/@v/list`, { method: "DELETE", headers: as(alice) });
  expect([removed.status, removed.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

describe("a module", () => {
  test("is served as it came, in the letters of addresses and in its own", async () => {
    const zip = tool("v1.1.0");
    await upload(zip);
    for (const path of ["example.test/!acme/tool", "example.test/%21acme/tool", "example.test/Acme/tool"]) {
      const served = await fetch(`${registry}/${path}/@v/v1.1.0.zip`);
      expect(served.headers.get("content-type")).toBe("application/zip");
      expect(Buffer.from(await served.arrayBuffer()).equals(zip)).toBe(true);
      expect(await get(`${path}/@v/v1.1.0.mod`)).toEqual([200, "module example.test/Acme/tool\n\ngo 1.18\n"]);
    }
    const info = JSON.parse((await get("example.test/!acme/tool/@v/v1.1.0.info"))[1]) as Record<
      "Time" | "Version",
      string
    >;
    expect(info).toEqual({ Version: "v1.1.0", Time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
    const stored = await app.anonymous.get<{ created_at: string }>(
      `/packages/alice/go/${encodeURIComponent("example.test/Acme/tool")}/v1.1.0`,
    );
    expect(Date.parse(info.Time) - Date.parse(stored.body.created_at)).toBeLessThan(1000);
    const head = await fetch(`${registry}/example.test/!acme/tool/@v/v1.1.0.zip`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(zip.length)]);
  });

  test("has the highest release as its latest version, whatever came last", async () => {
    const name = "example.test/latest";
    const publish = (version: string) => upload(moduleZip(`${name}@${version}`, { "a.go": "package a\n" }));
    const latest = async () => (JSON.parse((await get(`${name}/@latest`))[1]) as { Version: string }).Version;
    await publish("v0.9.0-rc.10");
    await publish("v0.9.0-rc.9");
    expect(await latest()).toBe("v0.9.0-rc.10");
    await publish("v0.10.0");
    await publish("v0.9.0");
    await publish("v1.0.0-alpha");
    expect(await latest()).toBe("v0.10.0");
    expect((await get(`${name}/@v/latest.mod`))[1]).toBe("module example.test/latest\n");
    expect((await get(`${name}/@v/list`))[1].trim().split("\n").sort()).toEqual(
      ["v0.10.0", "v0.9.0", "v0.9.0-rc.10", "v0.9.0-rc.9", "v1.0.0-alpha"].sort(),
    );
  });

  test.each([
    "example.test/@v/list",
    "example.test/!acme/@v/list",
    "example.test/!acme/tool/sub/@v/list",
    "example.test/acme/tool/@v/list",
    "example.test/!acme/tool/@v/v9.0.0.info",
    "example.test/!acme/tool/@v/v1.0.0.tar",
    "example.test/!Acme/tool/@v/list",
    "example.test/acme!/tool/@v/list",
    "sumdb/sum.golang.org/supported",
    "example.test/!acme/tool",
    "@latest",
    "..%2f..%2fexample.test/@latest",
  ])("is not at %s", async (path) => {
    expect((await get(path))[0]).toBe(404);
  });

  test("that differs from another one only in case is refused", async () => {
    await upload(moduleZip("example.test/Case@v1.0.0", { "a.go": "package a\n" }));
    const other = await upload(moduleZip("example.test/case@v1.1.0", { "a.go": "package a\n" }));
    expect([other.status, await other.text()]).toEqual([
      409,
      'The path "example.test/case" differs only in case from "example.test/Case"\n',
    ]);
    expect((await get("example.test/!case/@v/list"))[1]).toBe("v1.0.0\n");
  });

  test("is managed by the API under its path, and goes with its last version", async () => {
    const name = "example.test/managed/v2";
    await upload(moduleZip(`${name}@v2.0.0`, { "go.mod": `module ${name}\n` }));
    const path = `/packages/alice/go/${encodeURIComponent(name)}/v2.0.0`;
    expect((await app.anonymous.get(path)).body).toMatchObject({ type: "go", name, version: "v2.0.0" });
    const files = (await app.anonymous.get<{ name: string }[]>(`${path}/files`)).body;
    expect(files.map((file) => file.name)).toEqual(["v2.0.0.zip"]);
    expect((await alice.api.delete(path)).status).toBe(204);
    expect((await get(`${name}/@v/list`))[0]).toBe(404);
    expect((await upload(moduleZip(`${name}@v2.0.0`, { "go.mod": `module ${name}\n` }))).status).toBe(201);
  });

  test("of a private owner is for those who may see it", async () => {
    await alice.api.post("/orgs", { username: "vault", visibility: "private" });
    const vault = `${app.url}/api/packages/vault/go`;
    expect((await upload(tool("v1.0.0"), as(alice), vault)).status).toBe(201);
    const list = `${vault}/example.test/!acme/tool/@v/list`;
    expect((await fetch(list)).status).toBe(401);
    expect((await fetch(list, { headers: as(bob) })).status).toBe(404);
    expect(await (await fetch(list, { headers: as(alice) })).text()).toBe("v1.0.0\n");
  });
});

const bad = "example.test/bad@v1.0.0";
const one = (path: string, content = "x") => makeZip([[path, content]]);

/** Changes a byte, counted from the end. */
function overwrite(zip: Buffer<ArrayBuffer>, fromEnd: number, byte: number): Buffer<ArrayBuffer> {
  zip[zip.length - fromEnd] = byte;
  return zip;
}

test.each<[string, () => Content, number]>([
  ["is no zip", () => "not a zip", 400],
  ["is empty", () => "", 400],
  ["is cut off", () => tool("v3.0.0").subarray(0, 300), 400],
  ["has no entries", () => makeZip([]), 400],
  ["has no version", () => one("example.test/bad/a.go"), 400],
  [
    "mixes modules",
    () =>
      makeZip([
        [`${bad}/a.go`, ""],
        ["example.test/other@v1.0.0/a.go", ""],
      ]),
    400,
  ],
  [
    "mixes versions",
    () =>
      makeZip([
        [`${bad}/a.go`, ""],
        ["example.test/bad@v1.0.1/a.go", ""],
      ]),
    400,
  ],
  ["climbs out", () => one(`${bad}/../../etc/passwd`), 400],
  ["has an absolute path", () => one("/etc/passwd"), 400],
  ["has a version of two numbers", () => one("example.test/bad@v1.0/a.go"), 400],
  ["has a version with a build", () => one("example.test/bad@v1.0.0+build/a.go"), 400],
  ["has version 2 without it in its path", () => one("example.test/bad@v2.0.0/a.go"), 400],
  ["has version 1 with v2 in its path", () => one("example.test/bad/v2@v1.0.0/a.go"), 400],
  ["has /v1 in its path", () => one("example.test/bad/v1@v1.0.0/a.go"), 400],
  ["has a host without a dot", () => one("bad@v1.0.0/a.go"), 400],
  ["has a colon in a name", () => one(`${bad}/a:b.go`), 400],
  ["has a name of Windows", () => one(`${bad}/aux.go`), 400],
  ["has a name that is no UTF-8", () => makeZip([[`${bad}/a.go`, ""]], () => ({ path: `${bad}/\xff.go` })), 400],
  ["has a go.mod below its root", () => one(`${bad}/sub/go.mod`), 400],
  ["has a GO.MOD", () => one(`${bad}/GO.MOD`), 400],
  [
    "has names that differ in case",
    () =>
      makeZip([
        [`${bad}/a.go`, ""],
        [`${bad}/A.go`, ""],
      ]),
    400,
  ],
  [
    "has directories that differ in case",
    () =>
      makeZip([
        [`${bad}/é/a.go`, ""],
        [`${bad}/É/b.go`, ""],
      ]),
    400,
  ],
  [
    "has a file twice",
    () =>
      makeZip([
        [`${bad}/a.go`, ""],
        [`${bad}/a.go`, ""],
      ]),
    400,
  ],
  [
    "has a file that is a directory",
    () =>
      makeZip([
        [`${bad}/a`, ""],
        [`${bad}/a/b`, ""],
      ]),
    400,
  ],
  ["has more in it than it says", () => makeZip([[`${bad}/a.go`, "long enough"]], () => ({ size: 3 })), 400],
  ["has less in it than it says", () => makeZip([[`${bad}/a.go`, "short"]], () => ({ size: 300 })), 400],
  ["says another CRC-32", () => makeZip([[`${bad}/a.go`, "x"]], () => ({ crc: 1 })), 400],
  ["claims 600 MB", () => makeZip([[`${bad}/a.go`, "x"]], () => ({ size: 600 * 1024 * 1024 })), 400],
  ["claims a go.mod of 20 MB", () => makeZip([[`${bad}/go.mod`, "x"]], () => ({ size: 20 * 1024 * 1024 })), 400],
  ["is a bomb", () => makeZip([[`${bad}/a.go`, new Uint8Array(50_000_000)]], () => ({ size: 10 })), 400],
  ["points behind its end", () => makeZip([[`${bad}/a.go`, "x"]], () => ({ offset: 1_000_000 })), 400],
  ["says another length of its directory", () => overwrite(one(`${bad}/a.go`), 10, 0xff), 400],
  ["is encrypted", () => makeZip([[`${bad}/a.go`, "x"]], () => ({ flags: 1 })), 400],
  ["is larger than a package may be", () => new Uint8Array(200_001), 413],
])("a zip that %s is refused, and nothing stays", async (_, make, status) => {
  const count = async () =>
    (await app.forge.database.sql`select count(*)::int as n from package_file`)[0]?.["n"] as number;
  const before = await count();
  const answer = await upload(make());
  expect([answer.status, await count()]).toEqual([status, before]);
});

test.if(!noGo)(
  "go builds with a published module, and with its next version; what it downloads is what was uploaded",
  async () => {
    using go = new GoClient(registry);
    const name = "example.test/Build/lib";
    const publish = (version: string) =>
      upload(
        moduleZip(`${name}@${version}`, {
          "go.mod": `module ${name}\n\ngo 1.18\n`,
          "lib.go": `package lib\n\nconst Version = "${version}"\n`,
          "deep/deep.go": "package deep\n",
        }),
      );
    await publish("v1.0.0");
    writeFileSync(join(go.home, "go.mod"), "module main.test/app\n\ngo 1.18\n");
    writeFileSync(
      join(go.home, "main.go"),
      `package main\n\nimport (\n\t"os"\n\n\t"${name}"\n\t_ "${name}/deep"\n)\n\nfunc main() { os.Stdout.WriteString(lib.Version) }\n`,
    );
    await go.run("get", `${name}/deep@latest`);
    await go.run("build", "-o", "app", ".");
    expect(await runProgram([join(go.home, "app")])).toBe("v1.0.0");
    await publish("v1.2.0");
    await publish("v1.3.0-beta");
    await go.run("get", "-u", name);
    await go.run("build", "-o", "app", ".");
    expect(await runProgram([join(go.home, "app")])).toBe("v1.2.0");
    await go.run("mod", "verify");
    expect(await go.run("list", "-m", "-versions", name)).toBe(`${name} v1.0.0 v1.2.0 v1.3.0-beta\n`);
    expect((await alice.api.delete(`/packages/alice/go/${encodeURIComponent(name)}/v1.2.0`)).status).toBe(204);
    using fresh = new GoClient(registry);
    expect((await fresh.download(`${name}@latest`)).version).toBe("v1.0.0");
    expect((await fresh.try("mod", "download", `${name}@v1.2.0`)).stderr).toContain("404 Not Found");
  },
  300_000,
);
