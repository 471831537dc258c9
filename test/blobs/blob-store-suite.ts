import { describe, expect, test } from "bun:test";
import type { BlobStore } from "../../src/blobs/blob-store.ts";

/** What a test does with a store beside using it. */
export interface StoreUnderTest {
  store: BlobStore;
  /** Says that a file was written so many milliseconds ago. */
  age(sha256: string, ms: number): Promise<void>;
  /** The names of all that is stored or half stored, of files as of leftovers. */
  leftovers(): Promise<string[]>;
}

const sha256Of = (bytes: Uint8Array | string) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const limits = { bytes: 10_000_000 };
const hour = 3_600_000;

async function* pieces(...parts: (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    yield Buffer.from(part);
  }
}

/** What every BlobStore has to do. */
export function describeBlobStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(name, async () => {
    const { store, age, leftovers } = await make();
    const sizeOf = async (sha256: string) => (await store.find(sha256))?.size ?? null;
    const readText = async (sha256: string, start: number, end: number) =>
      (await store.find(sha256))?.slice(start, end).text();
    const write = async (sha256: string, content: AsyncIterable<Uint8Array>) => {
      await using staged = await store.stage(sha256, content, limits);
      await staged.publish();
      return staged.bytes;
    };
    const put = async (text: string) => {
      await write(sha256Of(text), pieces(text));
      return sha256Of(text);
    };

    test("gives back what it took, whole and in parts", async () => {
      const sha256 = sha256Of("hello world");
      expect(await write(sha256, pieces("hello", " ", "world"))).toBe(11);
      expect(await sizeOf(sha256)).toBe(11);
      expect(await readText(sha256, 0, 11)).toBe("hello world");
      expect(await readText(sha256, 6, 9)).toBe("wor");
      expect(await readText(sha256, 5, 5)).toBe("");
    });

    test("hashes what it takes once for several digests, also where none is known before", async () => {
      const text = "hello world";
      const hashOf = (name: "md5" | "sha1" | "sha512") => new Bun.CryptoHasher(name).update(text).digest("hex");
      await using staged = await store.stage(null, pieces("hello", " ", "world"), {
        ...limits,
        digests: ["md5", "sha1", "sha512"],
      });
      expect(staged.sha256).toBe(sha256Of(text));
      expect(await staged.content.text()).toBe(text);
      expect(await staged.content.slice(4, 7).text()).toBe("o w");
      expect(staged.digests).toEqual({ md5: hashOf("md5"), sha1: hashOf("sha1"), sha512: hashOf("sha512") });
      await staged.publish();
      expect(await readText(sha256Of(text), 0, 11)).toBe(text);
      await using plain = await store.stage(sha256Of(text), pieces(text), limits);
      expect(plain.digests).toEqual({});
    });

    test("takes nothing and large things", async () => {
      const large = new Uint8Array(3_000_001).map((_, index) => (index * 7) >>> 3);
      expect(await write(sha256Of(""), pieces())).toBe(0);
      expect(await readText(sha256Of(""), 0, 0)).toBe("");
      await write(sha256Of(large), pieces(large.subarray(0, 1_000_000), large.subarray(1_000_000)));
      expect(sha256Of((await (await store.find(sha256Of(large)))?.bytes()) ?? "")).toBe(sha256Of(large));
    });

    test("refuses other content, too much of it and content that breaks off, and keeps nothing of it", async () => {
      const before = await leftovers();
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield Buffer.from("wan");
        throw new Error("The client is gone");
      }
      await expect(store.stage(sha256Of("wanted"), pieces("other"), limits)).rejects.toMatchObject({
        code: "blob-mismatch",
      });
      await expect(store.stage(sha256Of("wanted"), pieces("wan", "ted"), { bytes: 5 })).rejects.toMatchObject({
        code: "blob-too-large",
      });
      await expect(store.stage(sha256Of("wanted"), broken(), limits)).rejects.toThrow("The client is gone");
      expect(await store.find(sha256Of("wanted"))).toBeNull();
      expect(await leftovers()).toEqual(before);
    });

    test("what is not published is nowhere, and goes with who staged it", async () => {
      const before = await leftovers();
      {
        await using staged = await store.stage(sha256Of("staged"), pieces("staged"), limits);
        expect([staged.bytes, staged.published]).toEqual([6, false]);
        expect(await store.find(sha256Of("staged"))).toBeNull();
        expect(await leftovers()).toHaveLength(before.length + 1);
      }
      expect(await leftovers()).toEqual(before);
      const sha256 = await put("removed");
      await store.remove(sha256);
      await store.remove(sha256);
      expect(await store.find(sha256)).toBeNull();
    });

    test("a reader that leaves early, and one of a file that is written again, disturb nobody", async () => {
      const sha256 = await put("twice");
      const reader = (await store.find(sha256))?.stream().getReader();
      await put("twice");
      await reader?.cancel();
      expect(await readText(sha256, 0, 5)).toBe("twice");
    });

    test("lists every file with the time of its writing", async () => {
      const [old, young] = [await put("old"), await put("young")];
      await age(old, 2 * hour);
      const listed: string[] = [];
      for await (const names of store.list()) {
        listed.push(...names);
      }
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed).toContain(old);
      expect(listed).toContain(young);
      const ago = async (sha256: string) => Date.now() - ((await store.writtenAt(sha256)) ?? 0);
      expect(await ago(old)).toBeGreaterThanOrEqual(2 * hour - 1000);
      expect(await ago(young)).toBeLessThan(hour);
      expect(await store.writtenAt(sha256Of("never written"))).toBeNull();
    });
  });
}
