import { describe, expect, test } from "bun:test";
import { parseCommit, writeCommit } from "./commit.ts";
import { CorruptObject } from "./errors.ts";
import { sha1 } from "./object-format.ts";

const tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const parent = "0123456789abcdef0123456789abcdef01234567";

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}

describe("a commit", () => {
  const signed = `tree ${tree}
parent ${parent}
parent ${tree}
author Ädä L <ada@example.com> 1700000000 +0530
committer  <> 0 -0000
encoding UTF-8
mergetag object ${parent}
 type commit
 tag v1
gpgsig -----BEGIN PGP SIGNATURE-----
 
 abc
 -----END PGP SIGNATURE-----

subject

body`;

  test("is written as it was read", () => {
    const text = signed.replace("committer  <>", "committer <>");
    expect(Buffer.from(writeCommit(parseCommit(bytesOf(text), sha1), sha1)).toString()).toBe(text);
  });

  test("has its parts", () => {
    const commit = parseCommit(bytesOf(signed), sha1);
    expect(commit).toEqual({
      tree,
      parents: [parent, tree],
      author: { name: "Ädä L", email: "ada@example.com", seconds: 1_700_000_000, offsetMinutes: 330 },
      committer: { name: "", email: "", seconds: 0, offsetMinutes: -0 },
      encoding: "UTF-8",
      signature: "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----",
      extraHeaders: [["mergetag", `object ${parent}\ntype commit\ntag v1`]],
      message: "subject\n\nbody",
    });
  });

  test("in another encoding is decoded", () => {
    const text = `tree ${tree}\nauthor Ren\xe9 <a> 1 +0000\ncommitter A <a> 1 +0000\nencoding ISO-8859-1\n\ncaf\xe9\n`;
    const { author, message } = parseCommit(Buffer.from(text, "latin1"), sha1);
    expect([author.name, message]).toEqual(["René", "café\n"]);
  });

  test("that says an encoding in which no header could stand has its headers all the same", () => {
    const text = `tree ${tree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\nencoding UTF-16LE\n\nx`;
    expect(parseCommit(Buffer.from(text), sha1).author.name).toBe("A");
  });

  test.each([
    ["no tree", `author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx`],
    ["a tree of another format", `tree ${tree}00\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx`],
    ["no committer", `tree ${tree}\nauthor A <a> 1 +0000\n\nx`],
    ["no email", `tree ${tree}\nauthor A 1 +0000\ncommitter A <a> 1 +0000\n\nx`],
    ["a line without a space", `tree ${tree}\nrubbish\n\nx`],
    ["nothing", ""],
  ])("with %s cannot be read", (_, text) => {
    expect(() => parseCommit(bytesOf(text), sha1)).toThrow(CorruptObject);
  });

  test("cannot have its lines broken by a name", () => {
    const commit = parseCommit(bytesOf(signed), sha1);
    const evil = { ...commit, author: { ...commit.author, name: "A\ncommitter <x>\n", email: "a>b" } };
    expect(parseCommit(writeCommit(evil, sha1), sha1).author).toMatchObject({ name: "Acommitter x", email: "ab" });
  });
});
