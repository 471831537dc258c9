import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { WorkingDirectory } from "../../src/lib/working-directory.ts";
import { Scratch, closureOf, mustGit } from "../support/git.ts";
import { ServerProcess, checkedRefs } from "../support/server-process.ts";
import { quickDirectory } from "../support/quick-directory.ts";
import { OpenDirectory, runStithy } from "../support/stithy.ts";

/** The commands that work on repositories, beside a server and without one. */

const scratch = new Scratch();
const directory = new OpenDirectory(quickDirectory("stithy-e2e-"));
const data = ["--data", directory.path];
let server: ServerProcess;
const work = scratch.join("work");
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const refsOf = async (path: string) =>
  (await mustGit(path, ["for-each-ref", "--format=%(objectname) %(refname)"])).split("\n");
const json = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const storedPacks = () =>
  readdirSync(directory.join("packs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".pack"))
    .map((name) => directory.join("packs", name));

/** A repository with loose objects, two packs, packed and loose refs, an annotated tag, a remote's refs. */
async function makeRepository(path: string, format: string): Promise<void> {
  await mustGit(scratch.path, ["init", "-q", "-b", "trunk", `--object-format=${format}`, path]);
  for (let round = 0; round < 9; round++) {
    writeFileSync(join(path, "file.txt"), `${"a line\n".repeat(200)}${round}\n`);
    writeFileSync(join(path, `other-${round % 3}.txt`), `${"something\n".repeat(100)}${round}\n`);
    await mustGit(path, ["add", "-A"]);
    await mustGit(path, ["commit", "-q", "-m", `commit ${round}`]);
    if (round === 2 || round === 5) {
      await mustGit(path, ["repack", "-dq"]);
      await mustGit(path, ["tag", "-a", "-m", `tag ${round}`, `v${round}`]);
      await mustGit(path, ["branch", `side-${round}`]);
      await mustGit(path, ["pack-refs", "--all"]);
    }
  }
  await mustGit(path, ["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
}

beforeAll(async () => {
  server = await ServerProcess.start(directory.path);
  await makeRepository(work, "sha1");
});

describe("import", () => {
  test.each(["sha1", "sha256"])("takes a repository of %s on disk as it is", async (format) => {
    const path = format === "sha1" ? work : scratch.join("sha256");
    if (format !== "sha1") {
      await makeRepository(path, format);
    }
    const { code, stdout, stderr } = await runStithy(["repo", "import", path, `root/${format}`, "--json", ...data]);
    expect(stderr).toBe("");
    expect({ code, result: json(stdout)[0] }).toMatchObject({ code: 0, result: { refs: 5, skippedRefs: 1 } });
    const clone = scratch.join(`${format}-clone`);
    expect(await checkedRefs(server.repositoryUrl(format), clone)).toEqual(
      (await refsOf(path)).filter((line) => !line.includes("refs/remotes/")),
    );
    expect(await closureOf(clone)).toBe(await closureOf(path));
    expect((await server.api.get(`/repos/root/${format}`)).body).toMatchObject({
      default_branch: "trunk",
      empty: false,
      object_format_name: format,
    });
    // Whatever the mode of the originals: a server that does not run as root could not write to a copy of git's packs.
    expect(new Set(storedPacks().map((pack) => statSync(pack).mode & 0o777))).toEqual(new Set([0o600]));
  });

  test("takes a bundle", async () => {
    const bundle = scratch.join("history.bundle");
    await mustGit(work, ["bundle", "create", "-q", bundle, "--branches", "--tags"]);
    expect(await runStithy(["repo", "import", bundle, "root/bundled", "--private", ...data])).toMatchObject({
      code: 0,
    });
    await mustGit(scratch.path, ["clone", "-q", "--mirror", server.repositoryUrl("bundled"), "bundled"]);
    expect(await closureOf(scratch.join("bundled"))).toBe(await closureOf(work));
    expect((await server.api.get("/repos/root/bundled")).body).toMatchObject({ private: true });
  });

  test("looks into a .gitmodules file that is in another pack than its tree, whichever comes first", async () => {
    for (const [name, address] of [
      ["good", "../x.git"],
      ["evil", "-u./payload"],
    ] as const) {
      const path = scratch.join(`modules-${name}`);
      await mustGit(scratch.path, ["init", "-q", "-b", "main", path]);
      await Bun.write(join(path, ".gitmodules"), `[submodule "x"]\n\tpath = x\n\turl = ${address}\n`);
      await mustGit(path, ["add", "-A"]);
      await mustGit(path, ["commit", "-q", "-m", "modules"]);
      const [file, ...others] = await Promise.all(
        ["HEAD:.gitmodules", "HEAD", "HEAD^{tree}"].map((object) => mustGit(path, ["rev-parse", object])),
      );
      // Each in a repository of which it is the first pack by name, and the other way round.
      const packs = join(path, ".git", "objects", "pack");
      for (const [prefix, oids] of [
        ["pack-1", [file]],
        ["pack-2", others],
      ] as const) {
        await mustGit(path, ["pack-objects", "-q", join(packs, prefix)], { input: `${oids.join("\n")}\n` });
      }
      await mustGit(path, ["prune-packed", "-q"]);
      for (const order of ["file first", "tree first"]) {
        const target = `root/${name}-${order.split(" ")[0]}`;
        const run = await runStithy(["repo", "import", path, target, ...data]);
        expect({ order, code: run.code === 0, stderr: run.stderr.includes("gitmodulesUrl") }).toEqual({
          order,
          code: name === "good",
          stderr: name === "evil",
        });
        for (const ending of ["pack", "idx"]) {
          const one = readdirSync(packs).find((each) => each.startsWith("pack-2") && each.endsWith(ending)) ?? "";
          renameSync(join(packs, one), join(packs, one.replace("pack-2", "pack-0")));
        }
      }
    }
  });

  test("refuses what is not whole, in words", async () => {
    const borrowed = scratch.join("borrowed");
    await mustGit(scratch.path, ["clone", "-q", "--bare", "--shared", work, borrowed]);
    const shallow = scratch.join("shallow");
    await mustGit(scratch.path, ["clone", "-q", "--bare", "--depth=1", `file://${work}`, shallow]);
    const missing = await mustGit(work, ["rev-parse", "HEAD:file.txt"]);
    const lost = scratch.join("lost");
    await mustGit(scratch.path, ["init", "-q", "--bare", lost]);
    const objects = (await mustGit(work, ["rev-list", "--objects", "HEAD"]))
      .split("\n")
      .map((line) => line.slice(0, 40))
      .filter((oid) => oid !== missing);
    await mustGit(work, ["pack-objects", "-q", join(lost, "objects", "pack", "pack")], {
      input: `${objects.join("\n")}\n`,
    });
    writeFileSync(join(lost, "packed-refs"), `${await mustGit(work, ["rev-parse", "HEAD"])} refs/heads/main\n`);
    const detached = scratch.join("detached.bundle");
    await mustGit(work, ["bundle", "create", "-q", detached, "HEAD"]);
    const cases: [string, string, string][] = [
      [detached, "root/x", "It has no branch and no tag"],
      [borrowed, "root/x", "it borrows objects from another one"],
      [shallow, "root/x", "it is shallow"],
      [lost, "root/x", `Cannot find the object ${missing}`],
      [scratch.path, "root/x", "There is no git repository at"],
      [work, "nobody/x", 'There is no user or organization "nobody"'],
      [work, "root/sha1", 'The repository "root/sha1" already exists'],
    ];
    for (const [path, name, sentence] of cases) {
      const run = await runStithy(["repo", "import", path, name, ...data]);
      expect(run.stderr).toContain(sentence);
      expect(run.code).not.toBe(0);
    }
    expect((await server.api.get("/repos/root/x")).status).toBe(404);
  });
});

test("repack, stats and export work beside the server", async () => {
  // Nobody has read this one yet: the server would bring its packs into one.
  expect((await runStithy(["repo", "import", work, "root/packs", ...data])).code).toBe(0);
  const before = json((await runStithy(["repo", "stats", "root/packs", "--json", ...data])).stdout)[0];
  expect(before).toMatchObject({ packs: 3, branches: 3, tags: 2, otherRefs: 0, objects: { commit: 9, tag: 2 } });
  for (const option of [[], ["--full"]]) {
    const { code, stdout, stderr } = await runStithy(["repo", "repack", "--all", ...option, "--json", ...data]);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(json(stdout)).toContainEqual(
      expect.objectContaining({ repository: "root/packs", after: expect.objectContaining({ packs: 1 }), dropped: 0 }),
    );
  }
  const after = json((await runStithy(["repo", "stats", "root/packs", "--json", ...data])).stdout)[0];
  expect(after).toMatchObject({ packs: 1, duplicates: 0, objects: before?.["objects"], bytes: before?.["bytes"] });
  expect(Number(after?.["packBytes"])).toBeLessThan(Number(before?.["packBytes"]));
  expect((await runStithy(["repo", "stats", "root/packs", ...data])).stdout).toContain("the longest chain");
  const exported = scratch.join("exported.git");
  expect((await runStithy(["repo", "export", "root/packs", exported, ...data])).code).toBe(0);
  await mustGit(exported, ["fsck", "--full", "--strict"]);
  expect(await closureOf(exported)).toBe(await closureOf(scratch.join("sha1-clone")));
  await checkedRefs(server.repositoryUrl("packs"), scratch.join("packs-repacked"));
});

describe("fsck", () => {
  /** The one pack of a repository that was exported: that gives its name. */
  async function packOf(name: string): Promise<string> {
    const exported = scratch.join(`look-${name}.git`);
    await runStithy(["repo", "export", `root/${name}`, exported, ...data]);
    const [file = ""] = readdirSync(join(exported, "objects", "pack")).map((path) =>
      path.replace(/^pack-|\.\w+$/g, ""),
    );
    return directory.join("packs", file.slice(0, 2), `${file}.pack`);
  }

  test("finds nothing where nothing is wrong", async () => {
    const { code, stdout } = await runStithy(["repo", "fsck", "--all", "--json", ...data]);
    expect({ code, problems: json(stdout).flatMap((one) => one["problems"]) }).toEqual({ code: 0, problems: [] });
    expect((await runStithy(["repo", "fsck", "root/sha1", ...data])).stdout).toStartWith("ok      root/sha1: ");
    expect(readdirSync(directory.join("tmp"))).toEqual([]);
  });

  test("names what is damaged and ends with 1; other repositories are served meanwhile", async () => {
    const path = await packOf("sha1");
    const index = path.replace(/pack$/, "idx");
    const saved = [path, index].map((file) => readFileSync(file));
    const damages: [string, () => void][] = [
      [`The pack "${path}" is damaged`, () => flip(path, Math.floor(statSync(path).size / 2))],
      [`The pack "${path}" has`, () => truncateSync(path, statSync(path).size - 1000)],
      [`The index of the pack "${path}" is damaged`, () => flip(index, statSync(index).size - 25)],
      [`The pack "${path}" or its index is missing`, () => renameSync(index, `${index}.away`)],
    ];
    for (const [sentence, damage] of damages) {
      damage();
      const { code, stdout } = await runStithy(["repo", "fsck", "--all", ...data]);
      expect(stdout).toContain(sentence);
      expect(stdout).toContain("ok      root/sha256");
      expect(code).toBe(1);
      await checkedRefs(server.repositoryUrl("sha256"), scratch.join("sha256-beside"));
      await Bun.$`rm -rf ${scratch.join("sha256-beside")}`.quiet();
      [path, index].forEach((file, number) => writeFileSync(file, saved[number] ?? ""));
    }
    expect((await runStithy(["repo", "fsck", "root/sha1", ...data])).code).toBe(0);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".pack")).length).toBeGreaterThan(0);
  });

  function flip(file: string, at: number): void {
    const byte = readFileSync(file)[at] ?? 0;
    const descriptor = openSync(file, "r+");
    writeSync(descriptor, Uint8Array.of(byte ^ 0x40), 0, 1, at);
    closeSync(descriptor);
  }
});

test("a server that starts meanwhile spares a command's unfinished files, and removes those of killed ones", async () => {
  await server.process.stop();
  await using command = await WorkingDirectory.open(directory.join("tmp"), "command");
  writeFileSync(join(command.path, "import-1.pack"), "half");
  writeFileSync(directory.join("tmp", "import-2.pack"), "half");
  server = await ServerProcess.start(directory.path);
  expect(
    readdirSync(directory.join("tmp"))
      .map((name) => directory.join("tmp", name))
      .sort(),
  ).toEqual([command.path, `${command.path}.lock`]);
  expect(readFileSync(join(command.path, "import-1.pack"), "utf8")).toBe("half");
});

test("without a server they start the database for themselves", async () => {
  await server.process.stop();
  const [fsck] = [await runStithy(["repo", "fsck", "root/sha1", ...data])];
  expect(fsck).toMatchObject({ code: 0 });
  expect(await runStithy(["repo", "repack", "root/sha1", "--full", ...data])).toMatchObject({ code: 0 });
});
