import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { checkObject } from "../../src/git/objects/check-object.ts";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType, typeName, type GitObject } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { isDotGitmodules } from "../../src/git/objects/protected-names.ts";
import { PackRejected } from "../../src/git/pack/errors.ts";
import { indexPack } from "../../src/git/index-pack/index-pack.ts";
import { randomOf } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { rawPack } from "./raw-pack.ts";
import { times } from "../support/thorough.ts";

const most = times(150, 400);

const fixture = new GitFixture();
afterAll(() => fixture[Symbol.dispose]());

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const limits = { objectBytes: 1e8, totalInflatedBytes: 1e9, inflationRatio: 1000, deltaDepth: 50, objectCount: 1e6 };

function tree(...entries: readonly (readonly [mode: string, name: string, oid?: string])[]): GitObject {
  const blob = bytesToHex(hashObject(sha1, ObjectType.blob, new Uint8Array(0)));
  const bytes = Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(oid ?? (mode === "40000" ? emptyTree : blob), "hex"),
    ]),
  );
  return { type: ObjectType.tree, bytes };
}

function commit(text: string): GitObject {
  return { type: ObjectType.commit, bytes: Buffer.from(text, "latin1") };
}

function signedCommit(author: string, committer = "C <c@x> 1 +0000"): GitObject {
  return commit(`tree ${emptyTree}\nauthor ${author}\ncommitter ${committer}\n\nmessage\n`);
}

function tag(text: string): GitObject {
  return { type: ObjectType.tag, bytes: Buffer.from(text, "latin1") };
}

const good: readonly GitObject[] = [
  tree(),
  tree(
    ["100644", "a"],
    ["100755", "a-b"],
    ["40000", "b"],
    ["100644", "b0"],
    ["120000", "c"],
    ["160000", "d", "12".repeat(20)],
  ),
  tree(["100644", "a-"], ["40000", "a"], ["100644", "a0"]),
  tree(["100644", "a"], ["100644", "a.b"], ["40000", "a.b.c"]),
  tree(["100644", ".gitignore"], ["100644", "git"], ["100664", "old"]),
  signedCommit("A <> 0 +0000"),
  signedCommit("A B <a@b c> 1700000000 -1200"),
  commit(`tree ${emptyTree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n`),
  commit(`tree ${emptyTree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\nencoding X\nmore x\n\n`),
  tag(`object ${emptyTree}\ntype tree\ntag v1\ntagger T <t@x> 1 +0000\n\nm\n`),
];

const bad: readonly (readonly [rule: string, object: GitObject])[] = [
  ["treeNotSorted", tree(["100644", "b"], ["100644", "a"])],
  ["treeNotSorted", tree(["40000", "a"], ["100644", "a-"])],
  ["treeNotSorted", tree(["100644", "a0"], ["40000", "a"])],
  ["duplicateEntries", tree(["100644", "a"], ["100644", "a"])],
  ["duplicateEntries", tree(["100644", "a"], ["40000", "a"])],
  ["duplicateEntries", tree(["100644", "a"], ["100644", "a-"], ["100644", "a.b"], ["40000", "a"])],
  ["zeroPaddedFilemode", tree(["040000", "a"])],
  ["nullSha1", tree(["100644", "a", "00".repeat(20)])],
  ["fullPathname", tree(["100644", "a/b"])],
  ["emptyName", tree(["100644", ""])],
  ["hasDot", tree(["40000", "."])],
  ["hasDotdot", tree(["40000", ".."])],
  ["hasDotgit", tree(["40000", ".git"])],
  ["hasDotgit", tree(["40000", ".GIT"])],
  ["hasDotgit", tree(["40000", "git~1"])],
  ["hasDotgit", tree(["40000", ".git . "])],
  ["hasDotgit", tree(["40000", ".g\u200cit"])],
  ["hasDotgit", tree(["40000", ".git::$INDEX_ALLOCATION"])],
  ["hasDotgit", tree(["40000", "x\\.git"])],
  ["gitmodulesSymlink", tree(["120000", ".gitmodules"])],
  ["gitmodulesSymlink", tree(["120000", "GITMOD~1"])],
  ["badTree", { type: ObjectType.tree, bytes: Buffer.from("100644 a\0short") }],
  ["missingTree", commit("author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\n")],
  ["badTreeSha1", commit(`tree ${emptyTree}0\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\n`)],
  ["badParentSha1", commit(`tree ${emptyTree}\nparent x\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\n`)],
  ["missingAuthor", commit(`tree ${emptyTree}\ncommitter A <a> 1 +0000\n\nm\n`)],
  [
    "multipleAuthors",
    commit(`tree ${emptyTree}\nauthor A <a> 1 +0000\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\n`),
  ],
  ["missingCommitter", commit(`tree ${emptyTree}\nauthor A <a> 1 +0000\n\nm\n`)],
  ["nulInHeader", commit(`tree ${emptyTree}\nauthor A\0 <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\n`)],
  ["unterminatedHeader", commit(`tree ${emptyTree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000`)],
  ["nulInCommit", commit(`tree ${emptyTree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nm\0\n`)],
  ["missingNameBeforeEmail", signedCommit("<a@b> 1 +0000")],
  ["missingEmail", signedCommit("A 1 +0000")],
  ["badName", signedCommit("A> <a@b> 1 +0000")],
  ["missingSpaceBeforeEmail", signedCommit("A<a@b> 1 +0000")],
  ["badEmail", signedCommit("A <a<b> 1 +0000")],
  ["missingSpaceBeforeDate", signedCommit("A <a@b>1 +0000")],
  ["zeroPaddedDate", signedCommit("A <a@b> 01 +0000")],
  ["badDate", signedCommit("A <a@b> x +0000")],
  ["badDate", signedCommit("A <a@b> 1")],
  ["badDateOverflow", signedCommit("A <a@b> 9223372036854775808 +0000")],
  ["badTimezone", signedCommit("A <a@b> 1 0000")],
  ["badTimezone", signedCommit("A <a@b> 1 +00000")],
  ["badTimezone", signedCommit("C <c@x> 1 +0000", "C <c@x> 1 +0")],
  ["missingObject", tag(`type tree\ntag v1\ntagger T <t@x> 1 +0000\n\nm\n`)],
  ["badObjectSha1", tag(`object x\ntype tree\ntag v1\ntagger T <t@x> 1 +0000\n\nm\n`)],
  ["missingTypeEntry", tag(`object ${emptyTree}\ntag v1\ntagger T <t@x> 1 +0000\n\nm\n`)],
  ["badType", tag(`object ${emptyTree}\ntype thing\ntag v1\ntagger T <t@x> 1 +0000\n\nm\n`)],
  ["missingTagEntry", tag(`object ${emptyTree}\ntype tree\ntagger T <t@x> 1 +0000\n\nm\n`)],
  ["badTimezone", tag(`object ${emptyTree}\ntype tree\ntag v1\ntagger T <t@x> 1 +\n\nm\n`)],
];

/** Where git gives up on a tree before it comes to the rule. */
const namedByGit: ReadonlyMap<string, string> = new Map([["emptyName", "badTree"]]);

function ruleOf(object: GitObject): string | null {
  return checkObject(object.type, object.bytes, sha1, () => {})?.split(":")[0] ?? null;
}

function oidOf(object: GitObject): string {
  return bytesToHex(hashObject(sha1, object.type, object.bytes));
}

function packOf(...objects: readonly GitObject[]): Uint8Array {
  return rawPack(objects.map(({ type, bytes }) => ({ kind: type, data: bytes })));
}

function received(...objects: readonly GitObject[]): () => unknown {
  const path = fixture.path("received.pack");
  writeFileSync(path, packOf(...objects));
  return () => indexPack({ format: sha1, path, limits, check: "strict" });
}

test("our rules and their names are git's", () => {
  const repository = fixture.repository();
  const write = (object: GitObject): string =>
    fixture
      .git(repository, ["hash-object", "-w", "--literally", "--stdin", "-t", typeName(object.type)], object.bytes)
      .toString()
      .trim();
  write({ type: ObjectType.blob, bytes: new Uint8Array(0) });
  for (const object of [...good, ...bad.map(([, object]) => object)]) {
    expect(write(object)).toBe(oidOf(object));
  }
  const { stdout, stderr } = fixture.tryGit(repository, ["fsck", "--strict", "--no-dangling"]);
  const byGit = new Map<string, string[]>();
  for (const [, oid, rule] of `${stdout}\n${stderr}`.matchAll(/^error in \w+ ([0-9a-f]{40}): (\w+):/gm)) {
    byGit.set(oid!, [...(byGit.get(oid!) ?? []), rule!]);
  }
  for (const object of good) {
    expect([ruleOf(object), byGit.get(oidOf(object)) ?? null]).toEqual([null, null]);
  }
  for (const [rule, object] of bad) {
    expect(ruleOf(object)).toBe(rule);
    expect(byGit.get(oidOf(object)) ?? [rule]).toContain(namedByGit.get(rule) ?? rule);
    expect(`${stdout}${stderr}`).toContain(oidOf(object));
  }
});

test("a mode that git does not know is refused, though git only notes it", () => {
  expect(ruleOf(tree(["100000", "a"]))).toBe("badFilemode");
});

test.each(bad)("a push with %s is refused and the object is named", (rule, object) => {
  expect(received(object)).toThrow(
    expect.objectContaining({
      reason: "bad-object",
      oid: oidOf(object),
      message: expect.stringContaining(rule) as string,
    }) as unknown as Error,
  );
});

test("a push of good objects is taken", () => {
  expect(received(...good)).not.toThrow();
});

test("the content of .gitmodules counts, whether it comes before its tree or after", () => {
  const evil: GitObject = { type: ObjectType.blob, bytes: Buffer.from('[submodule "x"]\n\turl = -u./payload\n') };
  const fine: GitObject = { type: ObjectType.blob, bytes: Buffer.from('[submodule "x"]\n\turl = ../x.git\n') };
  const naming = (blob: GitObject): GitObject => tree(["100644", ".gitmodules", oidOf(blob)]);
  expect(received(evil, naming(evil))).toThrow(PackRejected);
  expect(received(naming(evil), evil)).toThrow(expect.objectContaining({ oid: oidOf(evil) }) as unknown as Error);
  expect(received(naming(tree()), tree())).toThrow("gitmodulesBlob");
  expect(received(naming(fine), fine)).not.toThrow();
  expect(received(evil)).not.toThrow();
  // Otherwise it would come later, when the tree that names it is not looked at any more.
  expect(received(naming(evil))).toThrow("gitmodulesMissing");
});

test.each([".gitmodules", "x\\GITMOD~1", ".gitattributes", "gi7d29~1"])(
  "a directory named %j is refused, by git too",
  (name) => {
    const rule = isDotGitmodules(name) ? "gitmodulesBlob" : "gitattributesBlob";
    const named = tree(["40000", name]);
    expect(received(named, tree())).toThrow(
      expect.objectContaining({
        oid: oidOf(named),
        message: expect.stringContaining(rule) as string,
      }) as unknown as Error,
    );
    const byGit = fixture.tryGit(fixture.repository(), ["index-pack", "--strict", "--stdin"], packOf(named, tree()));
    expect(byGit.stderr.toString()).toContain(rule);
  },
);

test("the content of .gitattributes counts, too, but not where it is a symbolic link", () => {
  const blob = (text: string): GitObject => ({ type: ObjectType.blob, bytes: Buffer.from(text) });
  const naming = (name: string, object: GitObject, mode = "100644"): GitObject => tree([mode, name, oidOf(object)]);
  const long = blob(`* text\n${"x".repeat(2048)}`);
  const fine = blob(`${"x".repeat(2047)}\n*.a text\n\0${"x".repeat(3000)}`);
  for (const name of [".gitattributes", "GITATT~1"]) {
    expect(received(long, naming(name, long))).toThrow("gitattributesLineLength");
    expect(received(naming(name, long), long)).toThrow(
      expect.objectContaining({ oid: oidOf(long) }) as unknown as Error,
    );
    expect(received(naming(name, long))).toThrow("gitattributesMissing");
    expect(received(naming(name, tree()), tree())).toThrow("gitattributesBlob");
    expect(received(naming(name, fine), fine)).not.toThrow();
    expect(received(naming(name, long, "120000"), long)).not.toThrow();
  }
});

/** So many that they are more than what the trees name: as long as that is so, trees are compared with the one before. */
const fillers = Array.from({ length: 40 }, (_, number): GitObject => ({
  type: ObjectType.blob,
  bytes: Buffer.from(`filler ${number}`),
}));

test("a tree that resembles the one before it is checked no less", () => {
  const random = randomOf(7);
  const oid = (): string => Array.from({ length: 20 }, () => (1 + random(255)).toString(16).padStart(2, "0")).join("");
  const names = [
    ["100644", "a"],
    ["100644", "a-b"],
    ["40000", "b"],
    ["100755", "bb"],
    ["120000", "c"],
    ["160000", "d"],
  ] as const;
  const base = tree(...names.map(([mode, name]) => [mode, name, oid()] as const));
  const other = tree(...names.map(([mode, name]) => [mode, name, oid()] as const));
  const outcomes = { good: 0, bad: 0 };
  for (let run = 0; run < most; run++) {
    const bytes = Buffer.from((run % 2 === 0 ? base : other).bytes);
    const at = random(bytes.length);
    const changed = [
      () => (bytes.fill(random(4) === 0 ? 0 : random(256), at, Math.min(bytes.length, at + 1 + random(3))), bytes),
      () => (bytes.fill(0, at, Math.min(bytes.length, at + 20)), bytes),
      () => bytes.subarray(0, at),
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from("0"), bytes.subarray(at)]),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random(30)))]),
      () => Buffer.concat([bytes, bytes.subarray(0, at)]),
    ][random(6)]!();
    const second: GitObject = { type: ObjectType.tree, bytes: changed };
    if (oidOf(second) === oidOf(base)) {
      continue;
    }
    const rule = ruleOf(second);
    outcomes[rule === null ? "good" : "bad"]++;
    const take = received(...fillers, base, second);
    if (rule === null) {
      expect(take).not.toThrow();
    } else {
      expect(take).toThrow(
        expect.objectContaining({
          oid: oidOf(second),
          message: expect.stringContaining(rule) as string,
        }) as unknown as Error,
      );
    }
  }
  expect(outcomes.good).toBeGreaterThan(most / 10);
  expect(outcomes.bad).toBeGreaterThan(most / 4);
});

test.each(bad.filter(([, { type }]) => type === ObjectType.tree))(
  "a tree with %s is refused behind another, too",
  (rule, object) => {
    const before = [tree(["100644", "a"]), tree(["40000", "a"]), tree(["120000", ".gitignore"])].filter(
      (one) => oidOf(one) !== oidOf(object),
    );
    for (const one of before) {
      expect(received(...fillers, one, object)).toThrow(rule);
    }
  },
);

test("of trees that resemble each other, each brings its own .gitmodules", () => {
  const [fine, evil] = ["../x.git", "-u./payload"].map((url): GitObject => ({
    type: ObjectType.blob,
    bytes: Buffer.from(`[submodule "x"]\n\turl = ${url}\n`),
  }));
  const naming = (blob: GitObject): GitObject =>
    tree(["100644", ".gitmodules", oidOf(blob)], ["100644", "file", oidOf(fillers[0]!)]);
  expect(received(...fillers, fine!, evil!, naming(fine!), naming(evil!))).toThrow(
    expect.objectContaining({ oid: oidOf(evil!) }) as unknown as Error,
  );
});
