import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import zlib from "node:zlib";
import { archive } from "../../src/git/archive/archive.ts";
import { GitEngine } from "../../src/git/engine.ts";
import { objectFormat } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import type { ArchiveArgs } from "../../src/git/operations/archive.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { generateHistory, type GeneratedHistory } from "./generated-history.ts";
import { readZip } from "./read-zip.ts";

const fixture = new GitFixture();
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 32 << 20,
  log: silentLogger,
});
let history: GeneratedHistory;

beforeAll(() => {
  history = generateHistory(60);
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  history[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

interface Repository {
  key: string;
  packs: readonly string[];
  format: "sha1" | "sha256";
  git(...args: string[]): Buffer;
}

async function ours(
  repository: Repository,
  format: ArchiveArgs["format"],
  treeish: string,
  options: Partial<ArchiveArgs> = {},
): Promise<Buffer> {
  const oid = repository.git("rev-parse", treeish).toString().trim();
  const view = { key: repository.key, format: repository.format, packs: repository.packs };
  const args: ArchiveArgs = { format, treeish: oid, prefix: "", paths: [], decorations: null, ...options };
  return Buffer.from(
    await new Response(engine.stream(view, "archive", args) as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
  );
}

let number = 0;
/** A repository whose one commit has these files. A value that begins with "→" is a symlink, with "*" an executable. */
function commitOf(files: Record<string, string | Buffer>, format: "sha1" | "sha256" = "sha1"): Repository {
  const work = fixture.path("work");
  fixture.git(fixture.directory, ["init", "-q", "-b", "main", `--object-format=${format}`, work]);
  for (const [path, content] of Object.entries(files)) {
    const target = join(work, path);
    mkdirSync(dirname(target), { recursive: true });
    if (typeof content === "string" && content.startsWith("→")) {
      symlinkSync(content.slice(1), target);
    } else {
      writeFileSync(target, content);
      chmodSync(target, typeof content === "string" && content.startsWith("*") ? 0o755 : 0o644);
    }
  }
  // Attributes also change what git stores; here it is to store what is given.
  const override = join(work, ".git/info/attributes");
  writeFileSync(override, "* -text -ident\n");
  fixture.git(work, ["add", "-A"]);
  rmSync(override);
  fixture.git(work, ["commit", "-q", "-m", "The subject: of it…\non two lines\n\nThe body\n\nhas two parts"]);
  fixture.git(work, ["repack", "-adq"]);
  return {
    key: `${++number}:1`,
    packs: fixture.packs(join(work, ".git")),
    format,
    git: (...args) => fixture.git(work, ["--git-dir=.git", ...args]),
  };
}

/** What is told of an entry besides how it was compressed, which depends on the version of zlib. */
function comparable(zip: Buffer) {
  const { entries, comment } = readZip(zip);
  for (const entry of entries) {
    entry.deflated = false;
  }
  return { comment, entries };
}

async function expectAsGit(
  repository: Repository,
  treeish: string,
  options: { prefix?: string; paths?: string[] } = {},
): Promise<void> {
  const args = [
    ...(options.prefix === undefined ? [] : [`--prefix=${options.prefix}`]),
    treeish,
    ...(options.paths ?? []),
  ];
  const make = (format: "tar" | "tar.gz" | "zip") =>
    inOneSecond(async () => ({
      mine: await ours(repository, format, treeish, options),
      theirs: repository.git("archive", `--format=${format === "zip" ? "zip" : "tar"}`, ...args),
    }));
  const tar = await make("tar");
  expect(tar.mine.equals(tar.theirs)).toBe(true);
  const packed = await make("tar.gz");
  expect(zlib.gunzipSync(packed.mine).equals(packed.theirs)).toBe(true);
  // git writes local times into zip files.
  const zip = await make("zip");
  const [mine, theirs] = [comparable(zip.mine), comparable(zip.theirs)];
  const timeless = (list: typeof mine) =>
    new Date().getTimezoneOffset() === 0
      ? list
      : { ...list, entries: list.entries.map((entry) => ({ ...entry, time: 0, date: 0 })) };
  expect(timeless(mine)).toEqual(timeless(theirs));
}

/** What is made while the clock shows one second: the archive of a tree has the time at which it was made. */
async function inOneSecond<Made>(make: () => Promise<Made>): Promise<Made> {
  const second = () => Math.floor(Date.now() / 1000);
  for (;;) {
    const began = second();
    const made = await make();
    if (second() === began) {
      return made;
    }
  }
}

const long = "a-name-of-fifty-characters-that-fills-most-of-a-header";
const noise = (seed: number, bytes: number) => Buffer.from(randomFrom(seed).bytes(bytes));

describe("equal to git archive", () => {
  test("for names, modes, links and sizes of all kinds", async () => {
    const repository = commitOf({
      "plain.txt": "text\n",
      empty: "",
      "tool.sh": "*#!/bin/sh\n",
      link: "→plain.txt",
      "long-link": `→${"x/".repeat(80)}end`,
      "hundred-link": `→${"y".repeat(100)}`,
      "ünï/cödé.txt": "ü\n",
      'tab\tquote".txt': "odd\n",
      [`${long}/${long}/file`]: "prefix field\n",
      [`${long}/${long}/${long}/${long}/deep`]: "too long for the fields\n",
      [`n${"a".repeat(120)}`]: "long name\n",
      [`d${"b".repeat(98)}/x`]: "exactly a hundred for the directory\n",
      "block.bin": noise(1, 512),
      "large.bin": noise(2, 300_000),
      "large.txt": "the same line again\n".repeat(20_000),
      "zeros.bin": Buffer.alloc(5000),
      "a/b/c/d/e": "deep\n",
    });
    await expectAsGit(repository, "HEAD");
    await expectAsGit(repository, "HEAD", { prefix: "project-1.0/" });
    await expectAsGit(repository, "HEAD", { prefix: "no-slash" });
    await expectAsGit(repository, "HEAD", { prefix: "two///" });
    await expectAsGit(repository, "HEAD", { paths: ["a/b", "plain.txt"] });
    await expectAsGit(repository, "HEAD", { prefix: "p/", paths: ["ünï"] });
  });

  test("in a repository with SHA-256", async () => {
    await expectAsGit(commitOf({ [`n${"a".repeat(120)}`]: "long name\n", plain: "x" }, "sha256"), "HEAD");
  });

  test("for commits of a history with merges, submodules and odd names, and for tags", async () => {
    const repository: Repository = {
      key: "history:1",
      packs: history.packs,
      format: "sha1",
      git: (...args) => fixture.git(history.directory, args),
    };
    for (const commit of ["main", "b5", "b20", "b33", "b60~2"]) {
      await expectAsGit(repository, commit);
    }
  });

  test("for what attributes leave out, in every place that they can stand", async () => {
    const repository = commitOf({
      ".gitattributes": [
        "*.secret export-ignore",
        "/top-only export-ignore",
        "docs/ export-ignore",
        "deep/**/gone export-ignore",
        '"with space.txt" export-ignore',
        "kept.secret -export-ignore",
        "un.secret !export-ignore",
        "[attr]private export-ignore",
        "*.private private",
        "  # no rule",
        "!negated export-ignore",
        "bad,name export-ignore b@d",
        "only-dir/all/* export-ignore",
        "\\!bang export-ignore",
        "class[0-9].txt export-ignore",
      ].join("\n"),
      "a.secret": "1",
      "kept.secret": "2",
      "un.secret": "3",
      "b.private": "4",
      "top-only": "5",
      "sub/top-only": "6",
      "docs/readme": "7",
      "sub/docs/readme": "8",
      docs2: "9",
      "deep/gone": "10",
      "deep/x/y/gone": "11",
      "deep/x/gone2": "12",
      "with space.txt": "13",
      negated: "14",
      "bad,name": "15",
      "only-dir/all/one": "16",
      "!bang": "17",
      "class7.txt": "18",
      "classx.txt": "19",
      "sub/.gitattributes": "*.secret -export-ignore\ninner export-ignore\n[attr]other export-ignore\nthing other\n",
      "sub/x.secret": "20",
      "sub/inner": "21",
      "sub/thing": "22",
      inner: "23",
      "sub/more/inner": "24",
      "links/.gitattributes": "→../.gitattributes",
      "links/z.secret": "25",
    });
    await expectAsGit(repository, "HEAD");
    await expectAsGit(repository, "HEAD:sub");
  });

  test("for line ends, identifiers and what is for tools text", async () => {
    const repository = commitOf({
      ".gitattributes": [
        "*.bat eol=crlf",
        "*.auto text=auto eol=crlf",
        "*.bin -text eol=crlf",
        "*.old crlf eol=crlf",
        "*.id ident",
        "*.both ident eol=crlf",
        "*.lf text eol=lf",
        "*.input text=input eol=crlf",
        "*.diff diff",
        "*.nodiff -diff",
        "*.macro binary",
      ].join("\n"),
      "a.bat": "one\ntwo\r\nthree",
      "b.auto": "one\ntwo\n",
      "c.auto": "bin\0\n",
      "c2.auto": "one\ntwo\r\n",
      "c3.auto": `${"\x01".repeat(9)}\n`,
      "c4.auto": `text\n\x1a`,
      "d.bin": "x\n",
      "e.old": "x\n",
      "h.lf": "x\n",
      "i.input": "x\n",
      "f.id": "$Id$ $Id: old $ $Id: a b c $ $Id: open\n $Id:x$ $Id:$ $Id: $ $Idx$",
      "g.both": "$Id$\n",
      "k.diff": "\0",
      "l.nodiff": "text",
      "m.macro": "text\n",
      "n.late": `${"a".repeat(8000)}\0`,
      "o.early": `${"a".repeat(7999)}\0`,
    });
    await expectAsGit(repository, "HEAD");
  });

  test("for placeholders of the commit", async () => {
    const all = "H h T t P p an aN ae aE al ad aD ai aI as at cn ce cd cD ci cI cs ct e s f b B n %"
      .split(" ")
      .map((name) => `${name}=[$Format:%${name}$]`)
      .join("\n");
    const repository = commitOf({
      ".gitattributes": "*.subst export-subst\n",
      "a.subst": all,
      "b.subst": "$Format:%x41%x0a%Q %+s% s%-b%+e$ $Format:open",
      "c.txt": "$Format:%H$",
      "d.subst": "$Format:$ \xff $Format:%an <%ae>$",
    });
    await expectAsGit(repository, "HEAD");
  });
});

test("archives that are made at the same time do not mix, though the contents of files go through the same memory", async () => {
  const repositories = [1, 2, 3].map((seed) =>
    commitOf(
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`file${at}`, noise(100 * seed + at, 90_000 + 7 * at)])),
    ),
  );
  const made = await Promise.all(repositories.map((repository) => ours(repository, "tar", "HEAD")));
  for (const [at, repository] of repositories.entries()) {
    expect(made[at]!.equals(repository.git("archive", "--format=tar", "HEAD"))).toBe(true);
  }
});

test("refs are named where a file asks for them", async () => {
  const repository = commitOf({ ".gitattributes": "v export-subst\n", v: "$Format:%d|%D$" });
  repository.git("tag", "v1");
  repository.git("tag", "-m", "two", "v2");
  repository.git("branch", "side");
  const decorations = {
    head: "refs/heads/main",
    refs: ["refs/heads/main", "refs/heads/side", "refs/tags/v1", "refs/tags/v2"],
  };
  expect(
    (await ours(repository, "tar", "HEAD", { decorations })).equals(repository.git("archive", "--format=tar", "HEAD")),
  ).toBe(true);
});

test("the same commit gives the same bytes, at any level; what does not shrink is stored", async () => {
  const repository = commitOf({ "a.txt": "line\n".repeat(100_000), "b.bin": noise(3, 200_000) });
  for (const format of ["tar.gz", "zip"] as const) {
    const [first, second] = [await ours(repository, format, "HEAD"), await ours(repository, format, "HEAD")];
    expect(first.equals(second)).toBe(true);
    expect((await ours(repository, format, "HEAD", { level: 0 })).length).toBeGreaterThan(700_000);
  }
  const { entries } = readZip(await ours(repository, "zip", "HEAD"));
  expect(entries.map(({ path, deflated }) => [path, deflated])).toEqual([
    ["a.txt", true],
    ["b.bin", false],
  ]);
});

test("a large file is streamed into a zip file, with its size behind it", async () => {
  const repository = commitOf({ "huge.txt": Buffer.alloc(33 * 1024 * 1024, "0123456789abcde\n"), "after.txt": "x" });
  const { entries } = readZip(await ours(repository, "zip", "HEAD"));
  expect(entries.map(({ path, content, flags }) => [path, content.length, flags])).toEqual([
    ["after.txt", 1, 0],
    ["huge.txt", 33 * 1024 * 1024, 8],
  ]);
});

test("large files, which go through in pieces, come to the same as others", async () => {
  const repository = commitOf({
    ".gitattributes": "*.c eol=crlf ident\n*.bin diff\n*.text -diff\n",
    "a.c": `/* $Id$ */\n${"line\n".repeat(60_000)}`,
    "b.bin": noise(5, 400_000),
    "c.text": "text\n".repeat(70_000),
    "d.dat": Buffer.concat([Buffer.alloc(1), noise(6, 512 * 600 - 1)]),
    "e.txt": "small\n",
    "f.sh": `*#!/bin/sh\n${"# more\n".repeat(50_000)}`,
    link: "→e.txt",
  });
  const treeish = repository.git("rev-parse", "HEAD").toString().trim();
  const make = (format: ArchiveArgs["format"], largeBytes: number): Buffer => {
    using caches = new EngineCaches(1e6, 1e6, largeBytes);
    using odb = ObjectDatabase.open(objectFormat("sha1"), repository.packs, caches);
    return Buffer.concat(
      Array.from(
        archive(odb, { format, treeish, prefix: "", paths: [], decorations: null }),
        (bytes) => bytes?.slice() ?? Buffer.alloc(0),
      ),
    );
  };
  expect(make("tar", 1000).equals(repository.git("archive", "--format=tar", "HEAD"))).toBe(true);
  expect(zlib.gunzipSync(make("tar.gz", 1000)).equals(make("tar", 1e9))).toBe(true);
  const { entries, comment } = comparable(make("zip", 1000));
  const small = comparable(make("zip", 1e9));
  expect(comment).toBe(small.comment);
  const withoutFlags = (list: typeof entries) => list.map((entry) => ({ ...entry, flags: 0 }));
  expect(withoutFlags(entries)).toEqual(withoutFlags(small.entries));
});

test("more entries than 16 bits can count", async () => {
  const work = fixture.repository();
  const blob = fixture.git(work, ["hash-object", "-w", "--stdin"], "x").toString().trim();
  const tree = fixture
    .git(work, ["mktree"], Array.from({ length: 65_536 }, (_, index) => `100644 blob ${blob}\tf${index}\n`).join(""))
    .toString()
    .trim();
  fixture.git(work, [
    "update-ref",
    "refs/heads/main",
    fixture.git(work, ["commit-tree", "-m", "many", tree]).toString().trim(),
  ]);
  fixture.git(work, ["repack", "-adq"]);
  const repository: Repository = {
    key: "many:1",
    packs: fixture.packs(work),
    format: "sha1",
    git: (...args) => fixture.git(work, args),
  };
  const { entries } = readZip(await ours(repository, "zip", "main"));
  expect([entries.length, entries[10]?.path]).toEqual([65_536, "f10005"]);
});

test("a path that is not there, and a reader that goes away", async () => {
  const repository = commitOf({ "large.bin": noise(4, 3_000_000), "b.bin": noise(5, 3_000_000) });
  expect(await ours(repository, "tar", "HEAD", { paths: ["nowhere"] }).catch((error: unknown) => error)).toMatchObject({
    code: "path-not-in-tree",
  });
  const oid = repository.git("rev-parse", "HEAD").toString().trim();
  const args = { format: "tar", treeish: oid, prefix: "", paths: [], decorations: null } as const;
  const reader = engine
    .stream({ key: repository.key, format: "sha1", packs: repository.packs }, "archive", args)
    .getReader();
  expect((await reader.read()).done).toBe(false);
  await reader.cancel();
  expect((await ours(repository, "tar", "HEAD")).equals(repository.git("archive", "--format=tar", "HEAD"))).toBe(true);
});
