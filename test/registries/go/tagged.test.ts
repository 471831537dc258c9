import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustGit, Scratch } from "../../support/git.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { missingPrograms } from "../shared/run-program.ts";
import { GoClient } from "./go-client.ts";
import { moduleZip } from "./make-zip.ts";

/**
 * Modules from the tags of repositories. What the proxy serves is compared with what go makes of a clone itself: the paths of
 * these modules have ".git" in them, which go asks git for without any page that says so.
 */

const noGo = missingPrograms("modules from tags", ["go", "git"]);
const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const registry = `${app.url}/api/packages/alice/go`;
const host = "127.0.0.1/alice";
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${registry}/${path}`, { headers });
  return [answer.status, await answer.text()] as const;
};
const versions = async (module: string) => (await get(`${module}/@v/list`))[1].trim().split("\n").sort();

/** Makes a repository of these trees, each with its tags; a tree builds upon the one before. */
async function push(
  name: string,
  trees: readonly {
    files: Record<string, string | null>;
    tags: readonly string[];
    act?: (directory: string) => unknown;
  }[],
  fields: Record<string, unknown> = {},
): Promise<void> {
  await app.repository(alice, name, fields);
  using scratch = new Scratch();
  const git = (...args: string[]) => mustGit(scratch.path, args);
  await git("init", "-q", "-b", "main");
  for (const { files, tags, act } of trees) {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(scratch.join(path)), { recursive: true });
      if (content === null) {
        await git("rm", "-q", "--cached", path);
      } else {
        writeFileSync(scratch.join(path), content);
        await git("add", "-f", path);
      }
    }
    await act?.(scratch.path);
    await git("-c", "user.name=A", "-c", "user.email=a@example.test", "commit", "-q", "-m", "A tree");
    for (const tag of tags) {
      const message = tag.endsWith("0") ? [] : ["-c", "user.name=A", "-c", "user.email=a@example.test"];
      await git(...message, "tag", ...(message.length === 0 ? [] : ["-a", "-m", "Annotated"]), tag);
    }
  }
  const url = app.url.replace("//", `//${alice.name}:${alice.token}@`);
  await git("push", "-q", `${url}/alice/${name}.git`, "main", "--tags");
}

const module = (path: string, go = "1.18") => `module ${path}\n\ngo ${go}\n`;

await push("tools", [
  {
    files: {
      "go.mod": module(`${host}/tools.git`),
      "tools.go": "package tools\n\nconst Version = 1\n",
      LICENSE: "Free\n",
      ".gitattributes": "*.txt eol=crlf\nident.go ident\nignored.go export-ignore\nsubst.go export-subst\n",
      "text.txt": "one\ntwo\n",
      "ident.go": "package tools\n\n// $Id$\n",
      "ignored.go": "package tools\n",
      "subst.go": "package tools\n\n// $Format:%H$\n",
      "vendor/modules.txt": "# none\n",
      "vendor/other.test/x/x.go": "package x\n",
      "deep/vendor/x.go": "package vendor\n",
      "deep/vendor/y/y.go": "package y\n",
      "é/ü.go": "package u\n",
      "empty.go": "",
      ".github/workflow.yml": "a: b\n",
      "sub/go.mod": module(`${host}/tools.git/sub`),
      "sub/sub.go": "package sub\n",
      "sub/nested/go.mod": module(`${host}/tools.git/sub/nested`),
      "sub/nested/n.go": "package nested\n",
      "v2/go.mod": module(`${host}/tools.git/v2`, "1.24"),
      "v2/two.go": "package two\n",
      "v2/vendor/modules.txt": "# none\n",
      "v2/deep/vendor/x.go": "package vendor\n",
      large: "x".repeat(200_000),
    },
    tags: ["v1.0.0", "v1.0.1", "sub/v0.1.0", "sub/nested/v1.0.0", "v2.0.0", "v1", "v1.2", "v1.2.3-rc.1", "other"],
    async act(directory) {
      symlinkSync("tools.go", join(directory, "link.go"));
      writeFileSync(join(directory, "run.sh"), "#!/bin/sh\n");
      chmodSync(join(directory, "run.sh"), 0o755);
      await mustGit(directory, ["add", "link.go", "run.sh"]);
      const oid = (await mustGit(directory, ["hash-object", "tools.go"])).trim();
      await mustGit(directory, ["update-index", "--add", "--cacheinfo", `160000,${oid},submodule`]);
    },
  },
  {
    files: { "go.mod": module(`${host}/tools.git/v3`), "tools.go": "package tools\n\nconst Version = 3\n" },
    tags: ["v3.0.0", "v1.9.0"],
  },
]);
await push("old", [
  { files: { "old.go": "package old\n" }, tags: ["v1.0.0"] },
  { files: { "old.go": "package old\n\nconst Two = 2\n" }, tags: ["v2.0.0", "v2.1.0"] },
  { files: { "go.mod": module(`${host}/old.git/v4`) }, tags: ["v4.0.0"] },
]);
await push("odd", [{ files: { "go.mod": module(`${host}/odd.git`), "a'b.go": "package odd\n" }, tags: ["v1.0.0"] }]);
await push("secret", [{ files: { "go.mod": module(`${host}/secret`), "s.go": "package s\n" }, tags: ["v1.0.0"] }], {
  private: true,
});

test("versions are the tags that are versions of the path", async () => {
  expect(await versions(`${host}/tools.git`)).toEqual(["v1.0.0", "v1.0.1", "v1.2.3-rc.1", "v1.9.0"]);
  expect(await versions(`${host}/tools`)).toEqual(await versions(`${host}/tools.git`));
  expect(await versions(`${host}/tools.git/sub`)).toEqual(["v0.1.0"]);
  expect(await versions(`${host}/tools.git/sub/nested`)).toEqual(["v1.0.0"]);
  expect(await versions(`${host}/tools.git/v2`)).toEqual(["v2.0.0"]);
  expect(await versions(`${host}/old.git`)).toEqual(["v1.0.0", "v2.0.0+incompatible", "v2.1.0+incompatible"]);
});

test("a version has the time of its commit, and its go.mod or one that is implied", async () => {
  const info = JSON.parse((await get(`${host}/tools.git/@v/v1.0.1.info`))[1]) as { Version: string; Time: string };
  const commit = await alice.api.get<{ commit: { committer: { date: string } } }>(
    "/repos/alice/tools/git/commits/v1.0.1",
  );
  expect(info.Version).toBe("v1.0.1");
  expect(Date.parse(info.Time)).toBe(Date.parse(commit.body.commit.committer.date));
  expect((await get(`${host}/old.git/@v/v1.0.0.mod`))[1]).toBe(`module ${host}/old.git\n`);
  expect((await get(`${host}/tools.git/sub/@v/v0.1.0.mod`))[1]).toBe(module(`${host}/tools.git/sub`));
  expect((await get(`${host}/old.git/@latest`))[1]).toContain("v2.1.0+incompatible");
});

test.each([
  `${host}/@v/list`,
  `${host}/nothing/@v/list`,
  `${host}/tools.git/deep/@v/list`,
  `${host}/tools.git/@v/v1.info`,
  `${host}/tools.git/@v/v1.2.0.info`,
  `${host}/tools.git/@v/v1.0.2.info`,
  `${host}/tools.git/@v/main.info`,
  `${host}/tools.git/@v/v2.0.0.info`,
  `${host}/tools.git/@v/v2.0.0+incompatible.info`,
  `${host}/tools.git/@v/v1.0.0+incompatible.info`,
  `${host}/tools.git/v4/@v/list`,
  `${host}/old.git/@v/v4.0.0+incompatible.info`,
  "127.0.0.1/bob/tools/@v/list",
  "example.test/alice/tools/@v/list",
])("there is nothing at %s", async (path) => {
  expect((await get(path))[0]).toBe(404);
});

test("a tag that does not fit its go.mod, and a file that no module may have, are refused with the reason", async () => {
  expect(await get(`${host}/tools.git/@v/v1.9.0.mod`)).toEqual([
    404,
    'v1.9.0 is no version of the module: "go.mod" says another major version\n',
  ]);
  const [status, text] = await get(`${host}/odd.git/@v/v1.0.0.zip`);
  expect([status, text]).toEqual([
    404,
    expect.stringContaining(`the file "a'b.go" has a character that is not allowed`),
  ]);
});

describe("a module of a private repository", () => {
  const path = `${host}/secret/@v/list`;

  test("is as one that is not there", async () => {
    const missing = (await get(`${host}/missing/@v/list`))[1].replace("missing", "secret");
    for (const headers of [{}, as(bob)] as Record<string, string>[]) {
      expect(await get(path, headers)).toEqual([404, missing]);
    }
    expect(await get(path, as(alice))).toEqual([200, "v1.0.0\n"]);
    await alice.api.put("/repos/alice/secret/collaborators/bob", { permission: "read" });
    expect((await get(path, as(bob)))[0]).toBe(200);
    await alice.api.delete("/repos/alice/secret/collaborators/bob");
    expect((await get(path, as(bob)))[0]).toBe(404);
  });

  test("of a private organization is for its collaborators, who see none of its packages", async () => {
    await alice.api.post("/orgs", { username: "vault", visibility: "private" });
    await app.repository(alice, "lib", { auto_init: true }, "vault");
    expect((await alice.api.post("/repos/vault/lib/tags", { tag_name: "v1.0.0" })).status).toBe(201);
    const list = `${app.url}/api/packages/vault/go/127.0.0.1/vault/lib/@v/list`;
    const status = async (headers: Record<string, string>) => (await fetch(list, { headers })).status;
    expect([await status({}), await status(as(bob)), await status(as(alice))]).toEqual([401, 404, 200]);
    await alice.api.put("/repos/vault/lib/collaborators/bob", { permission: "read" });
    expect([await status({}), await status(as(bob))]).toEqual([401, 200]);
    const other = list.replace("vault/lib", "vault/other");
    expect((await fetch(other, { headers: as(bob) })).status).toBe(404);
  });

  test("is for tokens that may read packages and repositories", async () => {
    const status = async (of: string, ...scopes: string[]) =>
      (await get(of, { authorization: `token ${await app.token(alice, scopes)}` }))[0];
    expect(await status(path, "read:package")).toBe(404);
    expect(await status(path, "read:repository")).toBe(401);
    expect(await status(path, "read:package", "read:repository")).toBe(200);
    expect(await status(path, "read:package", "read:repository", "public-only")).toBe(404);
    expect(await status(`${host}/tools/@v/list`, "read:package")).toBe(200);
  });
});

test("a repository without its code is no module", async () => {
  await push("hidden", [{ files: { "h.go": "package h\n" }, tags: ["v1.0.0"] }]);
  expect((await get(`${host}/hidden/@v/list`))[0]).toBe(200);
  expect((await alice.api.patch("/repos/alice/hidden", { private: true })).status).toBe(200);
  expect((await get(`${host}/hidden/@v/list`))[0]).toBe(404);
});

test("a version that was uploaded comes before the tag, and both are listed", async () => {
  await push("both", [{ files: { "b.go": "package b\n" }, tags: ["v1.0.0"] }]);
  for (const version of ["v1.0.0", "v1.1.0"]) {
    const zip = moduleZip(`${host}/both@${version}`, { "go.mod": "module uploaded.test/both\n" });
    const taken = await fetch(`${registry}/upload`, { method: "PUT", body: zip, headers: as(alice) });
    expect(taken.status).toBe(201);
  }
  expect(await versions(`${host}/both`)).toEqual(["v1.0.0", "v1.1.0"]);
  expect((await get(`${host}/both/@v/v1.0.0.mod`))[1]).toBe("module uploaded.test/both\n");
});

test("a zip is the same bytes every time, and has an ETag", async () => {
  const zip = `${registry}/${host}/tools.git/@v/v1.0.0.zip`;
  const [one, two] = await Promise.all([fetch(zip), fetch(zip)]);
  expect(one.headers.get("content-type")).toBe("application/zip");
  expect(Buffer.from(await one.arrayBuffer()).equals(Buffer.from(await two.arrayBuffer()))).toBe(true);
  const etag = one.headers.get("etag") ?? "";
  expect((await fetch(zip, { headers: { "if-none-match": etag } })).status).toBe(304);
  expect((await fetch(zip, { method: "HEAD" })).status).toBe(200);
});

test.if(!noGo)(
  "go gets the same sums, files and versions from the proxy as from git itself",
  async () => {
    using proxied = new GoClient(registry);
    const config = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${app.url}/.insteadOf`,
      GIT_CONFIG_VALUE_0: "https://127.0.0.1/",
      GOPRIVATE: "127.0.0.1",
    };
    using direct = new GoClient("direct", config);
    for (const asked of [
      "tools.git@v1.0.0",
      "tools.git@v1.0.1",
      "tools.git@v1.2.3-rc.1",
      "tools.git/sub@v0.1.0",
      "tools.git/sub/nested@v1.0.0",
      "tools.git/v2@v2.0.0",
      "tools.git/v3@v3.0.0",
      "old.git@v1.0.0",
      "old.git@v2.1.0+incompatible",
      "old.git@latest",
    ]) {
      const [ours, theirs] = [await proxied.download(`${host}/${asked}`), await direct.download(`${host}/${asked}`)];
      expect({ asked, ...ours }).toEqual({ asked, ...theirs });
      expect(ours.files.length).toBeGreaterThan(0);
    }
    for (const name of ["tools.git", "tools.git/sub", "tools.git/v2", "old.git"]) {
      const list = async (client: GoClient) => {
        const { status, stdout } = await client.try("list", "-m", "-versions", `${host}/${name}@latest`);
        return { status, stdout };
      };
      writeFileSync(join(proxied.home, "go.mod"), "module main.test/app\n");
      writeFileSync(join(direct.home, "go.mod"), "module main.test/app\n");
      // The latest tag of "tools" has a go.mod of version 3.
      expect(await list(proxied)).toEqual(await list(direct));
    }
    const [refused, alike] = [
      await proxied.try("mod", "download", `${host}/odd.git@v1.0.0`),
      await direct.try("mod", "download", `${host}/odd.git@v1.0.0`),
    ];
    expect([refused.status, alike.status]).toEqual([1, 1]);
  },
  300_000,
);
