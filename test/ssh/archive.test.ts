import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { mustGit, Scratch } from "../support/git.ts";
import { SshKeyPair } from "../support/ssh.ts";
import { useTestApp } from "../support/test-app.ts";

/** `git archive --remote` over SSH gives what it gives beside the repository. */

const app = await useTestApp({ ssh: { enabled: true, port: 0 } });
const alice = await app.user("alice");
const key = new SshKeyPair();
const scratch = new Scratch();
const work = scratch.join("work");
const address = `${app.ssh}/alice/site.git`;

beforeAll(async () => {
  await key.addTo(alice);
  await app.repository(alice, "site", { private: true });
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  mkdirSync(`${work}/docs/deep`, { recursive: true });
  writeFileSync(`${work}/README.md`, "# Site\n");
  writeFileSync(`${work}/docs/a.txt`, "a\n".repeat(50_000));
  writeFileSync(`${work}/docs/deep/b.txt`, "b\n");
  writeFileSync(`${work}/left-out.txt`, "not for others\n");
  writeFileSync(`${work}/.gitattributes`, "left-out.txt export-ignore\n");
  await mustGit(work, ["add", "-A"]);
  await mustGit(work, ["commit", "-q", "-m", "one"]);
  await mustGit(work, ["tag", "-a", "-m", "first", "v1"]);
  await mustGit(work, ["push", "-q", address, "main", "v1"], { env: key.env });
});

afterAll(() => {
  key[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

let made = 0;
async function archive(remote: boolean, args: readonly string[]): Promise<Buffer> {
  const file = scratch.join(`archive-${++made}`);
  await mustGit(work, ["archive", ...(remote ? [`--remote=${address}`] : []), `--output=${file}`, ...args], {
    env: key.env,
  });
  return Buffer.from(await Bun.file(file).bytes());
}

test.each([
  [["--format=tar", "HEAD"]],
  [["--format=tar", "--prefix=site-1/", "v1"]],
  [["--format=tar", "main", "docs", "README.md"]],
  [["--format=tar", "refs/heads/main", "docs/deep/"]],
  [["--format", "tar", "--prefix", "x/", "main", "--", "docs"]],
])("%p is the same, byte for byte", async (args) => {
  expect((await archive(true, args)).equals(await archive(false, args))).toBe(true);
});

test("a directory is had by its path, with a time of one's own", async () => {
  const tar = (await archive(true, ["--format=tar", "--mtime=1700000000", "main:docs"])).toString("latin1");
  expect(tar).toContain("deep/b.txt\0");
  expect(tar).not.toContain("docs/");
  expect(tar).toContain(` ${(1_700_000_000).toString(8)}\0`.slice(1));
});

test("compressed formats hold the same", async () => {
  expect(
    gunzipSync(await archive(true, ["--format=tgz", "main"])).equals(await archive(false, ["--format=tar", "main"])),
  ).toBe(true);
  expect((await archive(true, ["--format=zip", "-9", "main"])).subarray(0, 4).toString("latin1")).toBe(
    "PK\u0003\u0004",
  );
  expect(await mustGit(work, ["archive", `--remote=${address}`, "--list"], { env: key.env })).toBe(
    "tar\ntar.gz\ntgz\nzip",
  );
});

test("only what a ref is named for can be had", async () => {
  const oid = await mustGit(work, ["rev-parse", "HEAD"]);
  for (const [treeish, message] of [
    [oid, `no such ref: ${oid}`],
    ["main~0", "no such ref: main~0"],
    ["main:nowhere", "not a tree object: main:nowhere"],
    ["main:README.md", "not a tree object"],
  ] as const) {
    await expect(archive(true, [treeish])).rejects.toThrow(message);
  }
  await expect(archive(true, ["main", "nowhere"])).rejects.toThrow('Cannot find "nowhere" in the tree');
  await expect(archive(true, ["--format=rar", "main"])).rejects.toThrow("Unknown archive format 'rar'");
});

test("a repository that is hidden has no archives either", async () => {
  await app.user("bob");
  using stranger = new SshKeyPair();
  await stranger.addTo({ ...alice, ...(await app.user("carol")) });
  await expect(mustGit(work, ["archive", `--remote=${address}`, "main"], { env: stranger.env })).rejects.toThrow(
    'There is no repository "alice/site"',
  );
});
