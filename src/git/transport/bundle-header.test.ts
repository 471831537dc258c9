import { describe, expect, test } from "bun:test";
import { BadBundle, parseBundleHeader, writeBundleHeader } from "./bundle-header.ts";

const oid = "1".repeat(40);
const other = "2".repeat(40);
const parse = (text: string) => parseBundleHeader(Buffer.from(text, "latin1"));

describe("the header of a bundle", () => {
  test("of version 2 names refs and what they build on, up to the pack", () => {
    const text = `# v2 git bundle\n-${other} A subject\n-${other}\n${oid} refs/heads/main\n${oid} HEAD\n\n`;
    expect(parse(`${text}PACK\0\0`)).toEqual({
      format: "sha1",
      prerequisites: [other, other],
      refs: [
        { oid, name: "refs/heads/main" },
        { oid, name: "HEAD" },
      ],
      packOffset: text.length,
    });
  });

  test("of version 3 says the object format", () => {
    const long = "a".repeat(64);
    expect(parse(`# v3 git bundle\n@object-format=sha256\n${long} refs/heads/main\n\n`)).toMatchObject({
      format: "sha256",
      refs: [{ oid: long, name: "refs/heads/main" }],
    });
  });

  test("may have no refs", () => {
    expect(parse("# v2 git bundle\n\nPACK")).toMatchObject({ refs: [], packOffset: 17 });
  });

  test("that is not there as a whole asks for more", () => {
    expect(parse(`# v2 git bundle\n${oid} refs/heads/main\n`)).toBeNull();
  });

  for (const [what, text] of [
    ["another file", "PACK\0\0\0\x02"],
    ["an unknown version", "# v4 git bundle\n\n"],
    ["a line that means nothing", "# v2 git bundle\nnonsense\n\n"],
    ["a ref without a name", `# v2 git bundle\n${oid}\n\n`],
    ["a capability in version 2", "# v2 git bundle\n@object-format=sha1\n\n"],
    ["a filter", "# v3 git bundle\n@filter=blob:none\n\n"],
    ["an unknown capability", "# v3 git bundle\n@shiny\n\n"],
  ] as const) {
    test(`is refused: ${what}`, () => expect(() => parse(text)).toThrow(BadBundle));
  }
});

test.each(["sha1", "sha256"] as const)("what is written is read again (%s)", (format) => {
  const refs = [
    { oid: "a".repeat(format === "sha1" ? 40 : 64), name: "HEAD" },
    { oid: "b".repeat(format === "sha1" ? 40 : 64), name: "refs/heads/ünï" },
  ];
  const bytes = writeBundleHeader(format, refs);
  expect(parseBundleHeader(bytes)).toEqual({ format, prerequisites: [], refs, packOffset: bytes.length });
});
