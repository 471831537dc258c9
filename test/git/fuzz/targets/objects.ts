import { messageOf } from "../../../../src/lib/errors.ts";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkGitmodules } from "../../../../src/git/objects/check-gitmodules.ts";
import { checkObject } from "../../../../src/git/objects/check-object.ts";
import { parseCommit, writeCommit } from "../../../../src/git/objects/commit.ts";
import { hashObject } from "../../../../src/git/objects/hash-object.ts";
import { sha1 } from "../../../../src/git/objects/object-format.ts";
import { ObjectType, typeName, type GitObject } from "../../../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../../../src/git/objects/oid.ts";
import { parseTag, writeTag } from "../../../../src/git/objects/tag.ts";
import { parseTree, writeTree } from "../../../../src/git/objects/tree.ts";
import { GitFixture } from "../../git-fixture.ts";
import { rawPack } from "../../raw-pack.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const oid = "12".repeat(20);

/** Oids of the objects that `git fsck --strict` has something against, with its words. */
function complaintsOfGit(fixture: GitFixture, objects: Iterable<GitObject>): ReadonlyMap<string, string> {
  const repository = fixture.repository();
  const path = join(repository, "objects", "pack", "pack-fuzz.pack");
  writeFileSync(path, rawPack([...objects].map(({ type, bytes }) => ({ kind: type, data: bytes }))));
  fixture.git(repository, ["index-pack", path]);
  const { stdout, stderr } = fixture.tryGit(repository, ["fsck", "--strict", "--no-dangling", "--no-progress"]);
  rmSync(repository, { recursive: true });
  const found = new Map<string, string>();
  const text = `${stdout.toString("latin1")}\n${stderr.toString("latin1")}`;
  for (const [, plain, named, words] of text.matchAll(
    /^(?:error in \w+ ([0-9a-f]{40})|error: ([0-9a-f]{40})): ?(.*)/gm,
  )) {
    // That what an object names is not there says nothing of its form.
    if (words === "broken links") {
      continue;
    }
    const who = plain ?? named ?? "";
    found.set(who, `${found.get(who) ?? ""}${words} `);
  }
  return found;
}

interface ObjectTarget {
  name: string;
  type: ObjectType;
  seeds: readonly Uint8Array[];
  words: readonly (string | Uint8Array)[];
  /** Reads an object that follows all rules, and writes it again. */
  rewrite(bytes: Uint8Array): Uint8Array;
  /** Rules where we are stricter than git, on purpose. */
  stricter: readonly RegExp[];
}

/** Objects of one type: what our checks say must be what git's say, and what they let pass must be read and written as it is. */
function objectTarget({ name, type, seeds, words, rewrite, stricter }: ObjectTarget): FuzzTarget {
  const fixture = new GitFixture();
  const dictionary = words.map((word) => Buffer.from(word));
  const waiting = new Map<string, { bytes: Uint8Array; problem: string | null }>();
  const rewriteGood = (bytes: Uint8Array): Uint8Array => {
    try {
      return rewrite(bytes);
    } catch (error) {
      throw new WrongAnswer(`The checks let pass what cannot be read: ${messageOf(error)}`);
    }
  };
  return {
    name,
    make: (random) => mutate(random, seeds[random.below(seeds.length)]!, dictionary),
    run(input): Verdict {
      const problem = checkObject(type, input, sha1, () => {});
      waiting.set(bytesToHex(hashObject(sha1, type, input)), { bytes: input, problem });
      const written = problem === null ? rewriteGood(input) : rewrite(input);
      if (problem === null && name === "tree") {
        expectSame("Written again", Buffer.from(written), Buffer.from(input));
      }
      return problem === null ? "taken" : "refused";
    },
    settle() {
      const byGit = complaintsOfGit(
        fixture,
        Array.from(waiting.values(), ({ bytes }) => ({ type, bytes })),
      );
      for (const [id, { bytes, problem }] of waiting) {
        const theirs = byGit.get(id) ?? null;
        const excused = problem !== null && stricter.some((rule) => rule.test(problem));
        if ((problem === null) !== (theirs === null) && !excused) {
          throw new WrongAnswer(`We say of the ${typeName(type)} ${id}: ${problem}; git says: ${theirs}`, bytes);
        }
      }
      waiting.clear();
    },
    [Symbol.dispose]: () => fixture[Symbol.dispose](),
  };
}

function treeOf(...entries: readonly (readonly [mode: string, name: string])[]): Buffer {
  return Buffer.concat(entries.flatMap(([mode, name]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]));
}

export function tree(): FuzzTarget {
  return objectTarget({
    name: "tree",
    type: ObjectType.tree,
    seeds: [
      treeOf(["100644", "a"], ["100755", "a-b"], ["40000", "b"], ["100644", "b0"], ["120000", "c"], ["160000", "d"]),
      treeOf(["100644", ".gitattributes"], ["100644", ".gitmodules"], ["40000", "dir"], ["100664", "ünï"]),
      treeOf(["100644", "a"], ["100644", "a.b"], ["40000", "a.b.c"], ["40000", "git"], ["100644", "z~1"]),
    ],
    words: [
      "40000 ",
      "100644 ",
      "120000 ",
      "160000 ",
      "0",
      ".git\0",
      ".GIT\0",
      "git~1\0",
      ".gitmodules\0",
      "GITMOD~1",
      ".\0",
      "..\0",
      "/",
      "\\",
      "\0",
      "\u200c",
      ".git ",
      ".git.",
      ".git::$INDEX_ALLOCATION",
      Buffer.alloc(20),
      Buffer.from(oid, "hex"),
      "x".repeat(4097),
      treeOf(["100644", "a"]),
      treeOf(["40000", "a"]),
    ],
    rewrite: (bytes) => writeTree(parseTree(bytes, sha1), sha1),
    // git 2.39 knows no limit for names, and lets the digits of a mode overflow; of directories named as files it blames the
    // object that is named.
    stricter: [/^git\w+Blob|^badFilemode|^largePathname|^badTree: cannot read the mode/],
  });
}

const signatures = [
  "A B <a@b> 1700000000 +0100",
  "<a@b> 1 +0000",
  "A<a@b> 1 +0000",
  "A <a@b> 9223372036854775808 +0000",
  "A <> 0 -0000",
  "A <a@b> 01 +0000",
  "A <a@b>1 +0000",
  "A <a>b> 1 +0000",
];

export function commit(): FuzzTarget {
  const who = "A B <a@b> 1700000000 +0100";
  return objectTarget({
    name: "commit",
    type: ObjectType.commit,
    seeds: [
      Buffer.from(`tree ${emptyTree}\nauthor ${who}\ncommitter ${who}\n\nmessage\n`),
      Buffer.from(
        `tree ${emptyTree}\nparent ${oid}\nparent ${oid}\nauthor ${who}\ncommitter ${who}\nencoding ISO-8859-1\ngpgsig -----BEGIN\n line\n -----END\nmergetag object ${oid}\n type commit\n\nmessage\n\nbody\n`,
      ),
    ],
    words: [
      ...signatures,
      ...signatures.map((text) => `\nauthor ${text}\n`),
      `tree ${emptyTree}\n`,
      `parent ${oid}\n`,
      "\nauthor ",
      "\ncommitter ",
      "\n\n",
      "\0",
      "\n",
      "encoding UTF-16LE\n",
      "<",
      ">",
      " ",
      "+0000",
      "99999999999999999999",
    ],
    rewrite: (bytes) => writeCommit(parseCommit(bytes, sha1), sha1),
    // git before 2.40 reads dates as C does, spaces and signs in front of them.
    stricter: [/^badDate|^zeroPaddedDate/],
  });
}

export function tag(): FuzzTarget {
  const who = "A B <a@b> 1700000000 +0100";
  return objectTarget({
    name: "tag",
    type: ObjectType.tag,
    seeds: [
      Buffer.from(`object ${emptyTree}\ntype tree\ntag v1.0\ntagger ${who}\n\nmessage\n`),
      Buffer.from(`object ${emptyTree}\ntype tree\ntag v0\n\nold\n`),
    ],
    words: [
      ...signatures.map((text) => `tagger ${text}\n`),
      "type commit\n",
      "type thing\n",
      "type \n",
      "tag \n",
      "tag a..b\n",
      `object ${oid}\n`,
      "\n\n",
      "\0",
      "\n",
      "tagger ",
    ],
    rewrite: (bytes) => writeTag(parseTag(bytes, sha1)),
    // git before 2.40 reads dates as C does, spaces and signs in front of them.
    stricter: [/^badDate|^zeroPaddedDate/],
  });
}

/** Files named `.gitmodules`: those that git refuses are refused, and no others. */
export function gitmodules(): FuzzTarget {
  const fixture = new GitFixture();
  const waiting = new Map<string, { bytes: Uint8Array; problem: string | null }>();
  const seeds = [
    '[submodule "lib"]\n\tpath = lib\n\turl = https://example.org/lib.git\n\tbranch = main\n[submodule "a/b"]\n\tpath = "a b" ; comment\n\turl = ../b.git\n\tupdate = rebase\n',
    '# comment\n[core]\n\tbare\n[submodule]\n\trecurse = true\n[submodule "x\\"y"]\n\turl = git://example.org/x # y\n\tpath = one\\\n two\n',
  ].map((text) => Buffer.from(text));
  const words = [
    "[submodule ",
    '"..',
    "/../",
    '"]\n',
    "url = -x\n",
    "url = ../../../:x\n",
    "url = https:///x\n",
    "url = ./%0a\n",
    "path = -p\n",
    "update = !cmd\n",
    "%0A",
    "\\n",
    "\\",
    '"',
    "\n",
    "\r\n",
    "#",
    ";",
    "=",
    "\0",
    "\t",
    "\\\n",
    '[submodule "-"]\n',
    "url = http://a\\nb\n",
    "url = ext::sh -c x\n",
    "\ufeff",
    "[a.b]\n",
    "..\\",
  ].map((text) => Buffer.from(text));
  return {
    name: "gitmodules",
    make: (random) => mutate(random, seeds[random.below(seeds.length)]!, words),
    run(input): Verdict {
      const problem = checkGitmodules(input);
      waiting.set(bytesToHex(hashObject(sha1, ObjectType.blob, input)), { bytes: input, problem });
      return problem === null ? "taken" : "refused";
    },
    settle() {
      const blobs = [...waiting.values()].map(({ bytes }): GitObject => ({ type: ObjectType.blob, bytes }));
      const trees = [...waiting.keys()].map((id): GitObject => ({
        type: ObjectType.tree,
        bytes: Buffer.concat([Buffer.from("100644 .gitmodules\0"), Buffer.from(id, "hex")]),
      }));
      const byGit = complaintsOfGit(fixture, [...blobs, ...trees]);
      for (const [id, { bytes, problem }] of waiting) {
        const theirs = byGit.get(id) ?? null;
        // git before 2.45 takes addresses that it later finds malformed; for git a NUL ends a name; and its check, other
        // than its clients, knows no mark of the order of bytes at the start, and takes a byte of 0xff for the end of the file.
        const stricter =
          problem !== null && (problem.startsWith("gitmodulesUrl") || bytes.includes(0) || bytes[0] === 0xef);
        if ((problem === null) !== (theirs === null) && !stricter && !bytes.includes(0xff)) {
          throw new WrongAnswer(`We say of ${id}: ${problem}; git says: ${theirs}`, bytes);
        }
      }
      waiting.clear();
    },
    [Symbol.dispose]: () => fixture[Symbol.dispose](),
  };
}
