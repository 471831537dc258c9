import { expect, test } from "bun:test";
import { releaseBytes } from "../../lib/release-bytes.ts";
import { sha1, sha256 } from "../objects/object-format.ts";
import { untilPackEnds } from "./until-pack-ends.ts";

test.each([sha1, sha256])("a pack ends with the hash of what came before, however it is cut", async (format) => {
  const content = crypto.getRandomValues(new Uint8Array(5000));
  const hasher = format.hasher();
  hasher.update(content);
  const pack = Buffer.concat([content, hasher.digest()]);
  for (const size of [1, 7, 20, 32, 1000, pack.length]) {
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < pack.length; at += size) {
        yield pack.subarray(at, at + size);
      }
      throw new Error("read beyond the end of the pack");
    }
    expect(Buffer.concat(await Array.fromAsync(untilPackEnds(source(), format))).equals(pack)).toBe(true);
  }
});

test("a pack ends also where its last piece is released at once", async () => {
  const content = new Uint8Array(5000).fill(7);
  const hasher = sha1.hasher();
  hasher.update(content);
  const pack = Buffer.concat([content, hasher.digest()]);
  async function* source(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(pack);
    throw new Error("read beyond the end of the pack");
  }
  let length = 0;
  for await (const chunk of untilPackEnds(source(), sha1)) {
    length += chunk.length;
    releaseBytes(chunk);
  }
  expect(length).toBe(pack.length);
});

test("a pack that is cut off is read to the end of the stream", async () => {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("PACK, but not all of it");
  }
  expect((await Array.fromAsync(untilPackEnds(source(), sha1))).length).toBe(1);
});
