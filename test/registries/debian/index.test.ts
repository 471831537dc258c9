import { expect, test } from "bun:test";
import { listedBytes } from "../../../src/registries/debian/build.ts";
import { writeRelease, writeStanza } from "../../../src/registries/debian/index.ts";
import { parseDeb } from "../../../src/registries/debian/parse.ts";
import { debOf, tarOf } from "./deb.ts";

test("a stanza has the control file's fields, and of the file only what the server knows", async () => {
  const control = [
    "Package: hello",
    "Version: 1:2.0-1",
    "Architecture: amd64",
    "Depends: libc6 (>= 2.36),",
    "  other",
    "Conffiles:",
    " /etc/hello 0123",
    "FILENAME: ../../elsewhere",
    "Size: 1",
    "sha256: 00",
    "Description: greets",
    " everybody",
    "",
  ].join("\r\n");
  const parsed = await parseDeb(new Blob([debOf("control.tar", tarOf([["control", Buffer.from(control)]]))]), {
    bytes: 1e6,
    entries: 10,
    ratio: 200,
  });
  const path = "pool/stable/main/hello_1:2.0-1_amd64.deb";
  expect(writeStanza(parsed, { path, bytes: 1234, md5: "0101", sha1: "0202", sha256: "0303", sha512: "0404" })).toBe(
    `Package: hello
Version: 1:2.0-1
Architecture: amd64
Depends: libc6 (>= 2.36),
  other
Conffiles:
 /etc/hello 0123
Description: greets
 everybody
Filename: pool/stable/main/hello_1:2.0-1_amd64.deb
Size: 1234
MD5sum: 0101
SHA1: 0202
SHA256: 0303
SHA512: 0404
`,
  );
});

test("a Release names every file with its hashes, and no line of it ends with a blank", () => {
  const text = writeRelease({
    origin: "Stithy",
    distribution: "bookworm",
    components: ["contrib", "main"],
    architectures: ["all", "amd64"],
    date: new Date("2026-11-21T07:48:13.999Z"),
    files: [
      { path: "main/binary-all/Packages", bytes: 7, md5: "1a", sha1: "2a", sha256: "3a", sha512: "4a" },
      { path: "main/binary-all/Packages.gz", bytes: 27, md5: "1b", sha1: "2b", sha256: "3b", sha512: "4b" },
    ],
  });
  expect(text).toBe(
    `Origin: Stithy
Label: Stithy
Suite: bookworm
Codename: bookworm
Date: Sat, 21 Nov 2026 07:48:13 UTC
Architectures: all amd64
Components: contrib main
Acquire-By-Hash: yes
MD5Sum:
 1a 7 main/binary-all/Packages
 1b 27 main/binary-all/Packages.gz
SHA1:
 2a 7 main/binary-all/Packages
 2b 27 main/binary-all/Packages.gz
SHA256:
 3a 7 main/binary-all/Packages
 3b 27 main/binary-all/Packages.gz
SHA512:
 4a 7 main/binary-all/Packages
 4b 27 main/binary-all/Packages.gz
`,
  );
});

test("packages for all architectures count for each list that has them", () => {
  const bytes = (parts: Readonly<Record<string, number>>) =>
    listedBytes(Object.entries(parts).map(([part, bytes]) => ({ part, bytes })));
  expect(bytes({ "main/binary-amd64": 10, "main/binary-arm64": 20 })).toBe(30);
  // Lists of amd64 and arm64, each with the packages for all, and the list of those alone.
  expect(bytes({ "main/binary-amd64": 10, "main/binary-arm64": 20, "main/binary-all": 100 })).toBe(330);
  // The other component has one text, whatever the architecture.
  expect(bytes({ "main/binary-amd64": 10, "main/binary-arm64": 20, "more/binary-all": 100 })).toBe(130);
});
