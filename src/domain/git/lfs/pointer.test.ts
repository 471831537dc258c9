import { expect, test } from "bun:test";
import { parsePointer } from "./pointer.ts";

const oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
const parse = (text: string) => parsePointer(Buffer.from(text));
const version = "version https://git-lfs.github.com/spec/v1";

test("reads pointers, with extensions and of the first version too", () => {
  expect(parse(`${version}\noid sha256:${oid}\nsize 12345\n`)).toEqual({ oid, size: 12345 });
  expect(parse(`${version}\next-0-foo sha256:${oid.replace("4d", "00")}\noid sha256:${oid}\nsize 0\n`)).toEqual({
    oid,
    size: 0,
  });
  expect(parse(`version https://hawser.github.com/spec/v1\noid sha256:${oid}\nsize 1\n`)).toEqual({ oid, size: 1 });
});

test("takes no other file for one", () => {
  for (const text of [
    "",
    "hello\n",
    `oid sha256:${oid}\nsize 1\n`,
    `${version}\noid sha256:${oid}\n`,
    `${version}\nsize 12\n`,
    `${version}\noid md5:${oid}\nsize 1\n`,
    `${version}\noid sha256:${oid.toUpperCase()}\nsize 1\n`,
    `${version}\noid sha256:../../etc/passwd\nsize 1\n`,
    `${version}\noid sha256:${oid}\nsize -1\n`,
    `${version}\noid sha256:${oid}\nsize 1\n${"x".repeat(1000)}`,
  ]) {
    expect(parse(text)).toBeNull();
  }
});
