import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, truncateSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustGit, Scratch } from "../support/git.ts";
import { ServerProcess } from "../support/server-process.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";

/** Wikis are exported, repacked, counted and checked by the commands that do so with repositories, as owner/name.wiki. */

const scratch = new Scratch();
const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
const data = ["--data", directory.path];
let server: ServerProcess;
const work = scratch.join("work");
const object = "a large picture of a page";
const oid = new Bun.CryptoHasher("sha256").update(object).digest("hex");

beforeAll(async () => {
  server = await ServerProcess.start(directory.path);
  await server.repository("site");
  await server.repository("plain");
  const upload = `${server.repositoryUrl("site.wiki")}/info/lfs/objects/${oid}`;
  expect((await fetch(upload, { method: "PUT", body: object })).status).toBe(200);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", work]);
  for (let number = 0; number < 3; number++) {
    await writeFile(join(work, `Page-${number}.md`), `${"a line\n".repeat(200)}${number}\n`);
    await mustGit(work, ["add", "-A"]);
    await mustGit(work, ["commit", "-q", "-m", `page ${number}`]);
    await mustGit(work, ["push", "-q", server.repositoryUrl("site.wiki"), "main"]);
  }
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const json = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("stats, repack and export", async () => {
  const before = await runStithy(["repo", "stats", "--all", "--json", ...data]);
  expect(json(before.stdout).map(({ repository, branches, objects }) => [repository, branches, objects])).toEqual([
    ["root/site", 0, expect.objectContaining({ commit: 0 })],
    ["root/site.wiki", 1, expect.objectContaining({ commit: 3, blob: 3 })],
    ["root/plain", 0, expect.objectContaining({ commit: 0 })],
  ]);
  const repacked = await runStithy(["repo", "repack", "root/site.wiki", "--json", ...data]);
  expect(repacked.code).toBe(0);
  expect(json(repacked.stdout)[0]).toMatchObject({ repository: "root/site.wiki", after: { packs: 1 }, dropped: 0 });
  const [stats] = json((await runStithy(["repo", "stats", "root/site.wiki", "--json", ...data])).stdout);
  expect(stats).toMatchObject({ packs: 1 });
  const exported = scratch.join("exported.git");
  expect((await runStithy(["repo", "export", "root/site.wiki", exported, ...data])).code).toBe(0);
  await mustGit(exported, ["fsck", "--full", "--strict"]);
  expect(await mustGit(exported, ["rev-parse", "HEAD"])).toBe(await mustGit(work, ["rev-parse", "main"]));
  const lfs = (path: string) => Bun.file(join(path, "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4), oid));
  expect(await lfs(exported).text()).toBe(object);
  expect(stats).toMatchObject({ lfs: { objects: 1, bytes: object.length, ownerBytes: object.length } });
  // With its LFS objects it becomes the wiki of another repository.
  await server.repository("copied");
  const copied = await runStithy(["repo", "import", exported, "root/copied.wiki", "--json", ...data]);
  expect(copied.code).toBe(0);
  const stored = await fetch(`${server.repositoryUrl("copied.wiki")}/info/lfs/objects/${oid}`);
  expect([stored.status, await stored.text()]).toEqual([200, object]);
  const none = await runStithy(["repo", "export", "root/plain.wiki", scratch.join("none.git"), ...data]);
  expect([none.code === 0, none.stderr]).toEqual([false, expect.stringContaining("root/plain.wiki")]);
  // The server goes on with what the command left.
  expect((await server.api.get("/repos/root/site/wiki/pages")).headers.get("x-total-count")).toBe("3");
});

test("import fills a wiki that is empty, of a repository that is there", async () => {
  const trunk = scratch.join("trunk");
  await mustGit(scratch.path, ["init", "-q", "-b", "trunk", trunk]);
  await writeFile(join(trunk, "Home.md"), "Imported\n");
  await mustGit(trunk, ["add", "-A"]);
  await mustGit(trunk, ["commit", "-q", "-m", "home"]);
  await mustGit(trunk, ["branch", "main"]);
  const imported = await runStithy(["repo", "import", trunk, "root/plain.wiki", "--json", ...data]);
  expect([imported.code, json(imported.stdout)[0]]).toEqual([0, expect.objectContaining({ refs: 2, objects: 3 })]);
  const page = await server.api.get<{ content_base64: string }>("/repos/root/plain/wiki/page/Home");
  expect(Buffer.from(page.body.content_base64, "base64").toString()).toBe("Imported\n");
  const repository = await server.api.get<{ wiki_branch: string; empty: boolean }>("/repos/root/plain");
  expect(repository.body).toMatchObject({ wiki_branch: "trunk", empty: true });
  const again = await runStithy(["repo", "import", trunk, "root/plain.wiki", ...data]);
  expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining("already exists")]);
  const none = await runStithy(["repo", "import", trunk, "root/nothing.wiki", ...data]);
  expect([none.code === 0, none.stderr]).toEqual([false, expect.stringContaining("root/nothing")]);
  const other = scratch.join("sha256");
  await mustGit(scratch.path, ["init", "-q", "-b", "main", "--object-format=sha256", other]);
  await mustGit(other, ["commit", "-q", "--allow-empty", "-m", "x"]);
  await server.repository("third");
  const format = await runStithy(["repo", "import", other, "root/third.wiki", ...data]);
  expect([format.code === 0, format.stderr]).toEqual([false, expect.stringContaining("has sha1, not sha256")]);
});

test("fsck and doctor name the wiki that is damaged", async () => {
  const sound = await runStithy(["repo", "fsck", "--all", ...data]);
  expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining("ok      root/site.wiki: ")]);
  const exported = scratch.join("look.git");
  await runStithy(["repo", "export", "root/site.wiki", exported, ...data]);
  const file = readdirSync(join(exported, "objects", "pack")).find((name) => name.endsWith(".pack")) ?? "";
  const checksum = file.slice("pack-".length, -".pack".length);
  truncateSync(join(directory.path, "packs", checksum.slice(0, 2), `${checksum}.pack`), 40);
  const damaged = await runStithy(["repo", "fsck", "--all", ...data]);
  expect(damaged.code).not.toBe(0);
  expect(damaged.stdout.split("\n").filter((line) => /^\S+ +root\//.test(line) && !line.startsWith("ok"))).toEqual([
    expect.stringContaining("root/site.wiki"),
    // The import stored the same pack.
    expect.stringContaining("root/copied.wiki"),
  ]);
  expect((await runStithy(["doctor", ...data])).stdout).toContain("root/site.wiki");
});
