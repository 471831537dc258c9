import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Scratch, mustGit, runGit } from "../support/git.ts";
import { ServerProcess } from "../support/server-process.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";
import { hasGitLfs } from "../lfs/lfs-client.ts";
import { sha256 } from "../lfs/raw-lfs.ts";

/** LFS objects come with a repository that is imported, go with one that is exported, and are looked at by fsck. */

const scratch = new Scratch();
const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
const data = ["--data", directory.path];
let server: ServerProcess;
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const contents = ["first\n".repeat(50_000), "second\n"];
const objects = contents.map((content) => ({ oid: sha256(content), content }));
const inside = (root: string, oid: string) => join(root, "lfs", "objects", oid.slice(0, 2), oid.slice(2, 4), oid);
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
const files = () =>
  ["blobs", "tmp"]
    .flatMap((name) =>
      readdirSync(directory.join(name), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? entry.name : [],
      ),
    )
    .sort();

/** A repository as git-lfs leaves it: pointers in a commit, and the objects that they name. */
async function makeRepository(name: string): Promise<string> {
  const work = scratch.join(name);
  await mustGit(scratch.path, ["init", "-q", "-b", "main", "--object-format=sha256", work]);
  writeFileSync(join(work, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  for (const [index, { oid, content }] of objects.entries()) {
    writeFileSync(
      join(work, `${index}.bin`),
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
    );
    mkdirSync(join(inside(join(work, ".git"), oid), ".."), { recursive: true });
    writeFileSync(inside(join(work, ".git"), oid), content);
  }
  const filters = ["clean", "process"].flatMap((filter) => ["-c", `filter.lfs.${filter}=`]);
  await mustGit(work, [...filters, "add", "-A"]);
  await mustGit(work, [...filters, "commit", "-q", "-m", "first"]);
  return work;
}

beforeAll(async () => {
  server = await ServerProcess.start(directory.path);
  const work = await makeRepository("work");
  const { code, stdout } = await runStithy(["repo", "import", work, "root/media", "--json", ...data]);
  expect({ code, ...json(stdout) }).toMatchObject({ code: 0, lfsObjects: 2, refs: 1 });
});

test("what was imported is there for clients", async () => {
  for (const { oid, content } of objects) {
    const response = await fetch(`${server.repositoryUrl("media")}/info/lfs/objects/${oid}`);
    expect([response.status, await response.text()]).toEqual([200, content]);
  }
  expect(files()).toEqual(objects.map(({ oid }) => oid).sort());
});

test("what is exported is there for git-lfs, and can be imported again", async () => {
  const exported = scratch.join("exported.git");
  const { code, stdout } = await runStithy(["repo", "export", "root/media", exported, "--json", ...data]);
  expect({ code, ...json(stdout) }).toMatchObject({ code: 0, lfsObjects: 2, refs: 1 });
  for (const { oid, content } of objects) {
    expect(readFileSync(inside(exported, oid), "utf8")).toBe(content);
  }
  expect(json((await runStithy(["repo", "import", exported, "root/again", "--json", ...data])).stdout)).toMatchObject({
    lfsObjects: 2,
  });
  const bytes = contents.join("").length;
  expect(json((await runStithy(["repo", "stats", "root/again", "--json", ...data])).stdout)).toMatchObject({
    lfs: { objects: 2, bytes, ownerBytes: 2 * bytes },
  });
  expect((await runStithy(["repo", "stats", "root/media", ...data])).stdout).toContain(
    `2 objects (${bytes} bytes; ${2 * bytes} in all repositories of the owner)`,
  );
  if (hasGitLfs) {
    const filters = [
      "-c",
      "filter.lfs.smudge=git-lfs smudge -- %f",
      "-c",
      "filter.lfs.process=git-lfs filter-process",
      "-c",
      "filter.lfs.required=true",
    ];
    await mustGit(scratch.path, [...filters, "clone", "-q", `file://${exported}`, "clone"]);
    expect(readFileSync(scratch.join("clone", "0.bin"), "utf8")).toBe(contents[0] ?? "");
    expect(await runGit(scratch.join("clone"), ["lfs", "fsck"])).toMatchObject({ code: 0 });
  }
});

test("an import of a damaged object makes nothing", async () => {
  const work = await makeRepository("damaged");
  writeFileSync(inside(join(work, ".git"), objects[1]?.oid ?? ""), "another\n");
  const before = files();
  const run = await runStithy(["repo", "import", work, "root/damaged", ...data]);
  expect(run.stderr).toContain(`The content has the SHA-256 ${sha256("another\n")}, not ${objects[1]?.oid}`);
  expect(run.code).not.toBe(0);
  expect(files()).toEqual(before);
  expect((await server.api.get("/repos/root/damaged")).status).toBe(404);
});

test("fsck names an object that is damaged or missing, and nothing is exported then", async () => {
  const path = directory.join("blobs", objects[1]?.oid.slice(0, 2) ?? "", objects[1]?.oid ?? "");
  const damages: [string, () => void][] = [
    [`The blob ${objects[1]?.oid} is damaged`, () => writeFileSync(path, "secend\n")],
    [`The blob ${objects[1]?.oid} is missing`, () => renameSync(path, `${path}.away`)],
  ];
  expect(await runStithy(["repo", "fsck", "root/media", ...data])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("2 LFS objects") as unknown as string,
  });
  for (const [sentence, damage] of damages) {
    damage();
    expect(await runStithy(["repo", "fsck", "root/media", ...data])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(sentence) as unknown as string,
    });
    const target = scratch.join("never.git");
    expect((await runStithy(["repo", "export", "root/media", target, ...data])).code).not.toBe(0);
    expect(existsSync(target)).toBe(false);
    writeFileSync(path, contents[1] ?? "");
  }
});
