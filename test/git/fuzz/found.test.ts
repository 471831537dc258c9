import { describe, expect, test } from "bun:test";
import { StithyError } from "../../../src/lib/errors.ts";
import type { Verdict } from "./fuzz-target.ts";
import { fuzzTargets } from "./targets.ts";

/**
 * What the fuzzer has found, made small: inputs that were once understood in another way than git does, took too long, or
 * broke something. Each is judged as `fuzz.long.test.ts` judges, with git asked every time.
 */

/** Bytes as Latin-1. */
const found: readonly (readonly [target: string, verdict: Verdict, input: string, what: string])[] = [
  [
    "commit",
    "taken",
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent " +
      "12".repeat(20) +
      "\nparent " +
      "12".repeat(20) +
      "\nauthor A B <a@b> 1700000000 +0100\ncommitter A B <a@b> 1700000000 +0100\nencoding ISO-8859-1\nd69288fbee4904\nparent 12 -----END\nmergetag object " +
      "12".repeat(20) +
      "\n type commit\n\nmessage\n\nbody\n",
    "a header without a value among the optional ones",
  ],
  [
    "commit",
    "refused",
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent " +
      "12".repeat(20) +
      "\nparent " +
      "12".repeat(20) +
      "\nauthor A B <a@b>  1700000000 +0100\ncommitter A B <a@b> 1700000000 +0100\nencoding ISO-8859-1\ngpgsig -----BEGIN\n line\n -----END\nmergetag object " +
      "12".repeat(20) +
      "\n type commit\n\nmessage\n\nbody\n",
    "two spaces before a date",
  ],
  [
    "commit",
    "taken",
    "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent " +
      "12".repeat(20) +
      "\nparent " +
      "12".repeat(10) +
      "10" +
      "12".repeat(9) +
      "\nauthor A B <a@b> 1700000000 +0100\ncommitter A B <a@b> 1700000000 +0100\nenc" +
      "I".repeat(13) +
      "9-1\ngpgsig ---A <a@b> 9223372036854775808 +0000--BEGIN\n line\n -----END\nmergetag object " +
      "12".repeat(20) +
      "\n type commit\n\nmessage\n\nbody\n",
    "a signature that holds what looks like an author",
  ],
  [
    "gitmodules",
    "taken",
    '# comment\n[core]\n\tbare\n[submodule]\n\trecurse = true\n[submodule "x\\"y"]\n\turl path = -p\n' +
      "\x82".repeat(13) +
      "\n",
    "a key with a space in it, and bytes that are no UTF-8",
  ],
  [
    "gitmodules",
    "refused",
    '[submodule "lib"]\n\tpath = lib\n\turl = https://example.or= main\n[submodule "a/b"]\n\tpath = "a b" ; comment\n\turl = ../b.git\n\tupdate = rebase\n',
    "an address with a sign that ends it",
  ],
  [
    "gitmodules",
    "refused",
    '# commen[submodule "-"]\nt\n[core]\n\tbare\n[submodule]\n\trecurse = truetrue\n[submodule "x\\"y"]\n\turl = git://example.org/url = ./%0a\nwo\n',
    "the name of a submodule that begins with a dash",
  ],
  [
    "gitmodules",
    "refused",
    '[submodule "lib"]\n\tpath = lib\n\turl = h\xff\xff\xff\xff://example.org/lib.git\n\tbranch = main\n[submodule "a/b"]\n\tpath = "a b" ; comment\n\tpath = -p\nurl = ../b.git\n\tupdate = rebase\n',
    "a path that is an option, behind an address that is no UTF-8",
  ],
  ["pack-entry", "refused", "\x90" + "\x80".repeat(200) + "\x08", "a header whose size has two hundred digits"],
  [
    "pack-entry",
    "refused",
    "\xb0\x80\xe8\x81" + "\x80".repeat(22) + "\x00" + "\x80".repeat(170) + "\x90\x80\x80\x80\x80\x80\x80\xca\x94\x05",
    "a header whose base is hundreds of bytes of digits away",
  ],
  [
    "tag",
    "taken",
    "object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\ntag v1.0\ntagger\n\nB <a@b> 1700000000 +0100\n\nmessage\n",
    "a tagger without a name on a line of its own",
  ],
  [
    "tag",
    "taken",
    "object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\ntag v1.0\ntagge.0\ntagger A B <a@b> 1700000000 +0100\n\nmessage\n",
    "a header that is unknown, before the tagger",
  ],
  ["tag", "refused", "object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ntype tree\ntag \n", "a tag without a name"],
  [
    "tree",
    "refused",
    "100644 .gitattributes\x00" +
      "\x12".repeat(20) +
      "100644 .git\xba\xba\xba\xba\xba\xba\xba\xba\xba\xba\xba\xba" +
      "\x12".repeat(16) +
      "40000 dir\x00" +
      "\x12".repeat(20) +
      "100664 \xc3\xbcn\xc3\xaf\x00" +
      "\x12".repeat(20),
    "an entry without an end to its name",
  ],
  [
    "tree",
    "refused",
    "100644 a\x00\x12J" +
      "\x12".repeat(18) +
      "100644 a.b\x00" +
      "\x12".repeat(20) +
      "40000 a.b.c\x00" +
      "\x12".repeat(20) +
      "40000 git\x00" +
      "\x12".repeat(20) +
      "100644 " +
      "x".repeat(4097) +
      "z~1\x00" +
      "\x12".repeat(20),
    "a name of 4,100 bytes",
  ],
  [
    "tree",
    "refused",
    "100644 a\x00\x12\xc8" +
      "\x12".repeat(18) +
      "100644 a.b\x00" +
      "\x12".repeat(20) +
      "40000 a.b.c\x00" +
      "\x12".repeat(20) +
      "40000 git\x00" +
      "\x12".repeat(20) +
      "10064400644 z~1\x00" +
      "\x12".repeat(20),
    "a mode of eleven digits",
  ],
  [
    "bundle",
    "taken",
    "# v3 git bundle\n@object-format=sha1\n" + "12".repeat(20) + " refs/hea\x00\x00\x00\x7fain\n\nPACK",
    "a ref with a zero in its name",
  ],
  [
    "delta",
    "refused",
    "\t" + "\x80".repeat(300) + "\x00\x03\x03\x01\x02\x03",
    "a size of three hundred digits, which are nothing",
  ],
  [
    "gitmodules",
    "refused",
    '[submodule "lib"]#\n\tpath = lib\n\turl = https:://example.org/lib.git\n\tbranch = main\n[submodule "a/b"]\n\tpath = "a b" ; comment\n\turl = ../b.git\n\tupdate = rebase\n',
    "a colon too many, and a comment behind a section",
  ],
  [
    "gitmodules",
    "taken",
    '# comment\n\xef\xbb\xbf[core]\n\tbare\n[submodule "/../x"]\n\turl = git://example.org/x\n',
    "a mark of the order of bytes that is not at the start",
  ],
  ["gitmodules", "refused", '[submodule "lib"]\n\turl = \r-x\n', "a return in front of an address that is an option"],
  ["gitmodules", "refused", '[submodule\r"lib"]\n\turl = -x\n', "a return in front of the name of a submodule"],
  ["ref-name", "taken", "-/he,d", "a name that begins with a dash"],
  [
    "bundle",
    "refused",
    "# v3 git bundle\n@object-format=sha256\n" + "12".repeat(20) + " HEAD\n\nPACK",
    "an oid of another format than the one named",
  ],
];

describe.each([...new Set(found.map(([target]) => target))])("%s", (name) => {
  test.each(
    found.filter(([target]) => target === name).map(([, verdict, input, what]) => [what, verdict, input] as const),
  )("%s: %s", async (_, verdict, input) => {
    using target = fuzzTargets[name]!(1);
    const run = async (): Promise<Verdict> => target.run(Uint8Array.from(Buffer.from(input, "latin1")));
    const judged = await run().catch((error: unknown) => {
      if (!(error instanceof StithyError)) {
        throw error;
      }
      return "refused";
    });
    expect(judged).toBe(verdict);
    target.settle?.();
  });
});
