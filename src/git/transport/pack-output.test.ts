import { expect, test } from "bun:test";
import { sha1 } from "../objects/object-format.ts";
import { PackOutput } from "./pack-output.ts";

/** What was handed out, without the framing. */
function payloadOf(chunks: readonly Uint8Array[]): Buffer {
  const all = Buffer.concat(chunks);
  const parts: Buffer[] = [];
  for (let at = 0; at < all.length;) {
    const length = Number.parseInt(all.toString("latin1", at, at + 4), 16);
    expect(all[at + 4]).toBe(1);
    parts.push(all.subarray(at + 5, at + length));
    at += length;
  }
  return Buffer.concat(parts);
}

test("chunks hold what was written, whenever they are taken and whatever size pieces have at that moment", () => {
  let seed = 1;
  const below = (limit: number): number => (seed = (seed * 16_807) % 2_147_483_647) % limit;
  for (let round = 0; round < 60; round++) {
    let piece = 16 * 1024;
    const out = new PackOutput(sha1, 65_520, () => piece);
    const written: Buffer[] = [];
    const chunks: Uint8Array[] = [];
    const take = (some: readonly Uint8Array[]): void => {
      for (const chunk of some) {
        // It is used again after that.
        chunks.push(chunk.slice());
        piece = round % 2 === 0 || below(10) === 0 ? 16 * 1024 : Math.min(piece * 2, 256 * 1024);
      }
    };
    for (let number = 0; number < 60; number++) {
      const bytes = Buffer.alloc(below(below(3) === 0 ? 50_000 : 900), number + 1);
      out.write(bytes);
      written.push(bytes);
      // Also when nothing is full.
      for (let times = below(3); times > 0; times--) {
        take(out.take());
      }
    }
    take(out.finish());
    const payload = payloadOf(chunks);
    const content = Buffer.concat(written);
    expect(payload.subarray(0, -20).equals(content)).toBe(true);
    expect(payload.subarray(-20).toString("hex")).toBe(new Bun.CryptoHasher("sha1").update(content).digest("hex"));
  }
});

test("outputs that end, or are left, give their memory to others without touching what those hold", () => {
  const make = (fill: number) => ({
    fill,
    out: new PackOutput(null, 65_520, () => 16 * 1024 * (1 + (fill % 3))),
    written: 0,
    chunks: [] as Uint8Array[],
  });
  let next = 1;
  const open = Array.from({ length: 6 }, () => make(next++));
  const keep = (one: ReturnType<typeof make>, chunks: readonly Uint8Array[]): void =>
    chunks.forEach((chunk) => one.chunks.push(chunk.slice()));
  for (let turn = 0; turn < 600; turn++) {
    const index = (turn * 7) % open.length;
    const one = open[index]!;
    const bytes = new Uint8Array(9_000 + turn).fill(one.fill);
    one.out.write(bytes);
    one.written += bytes.length;
    keep(one, one.out.take());
    if (turn % 29 === 0) {
      keep(one, one.out.finish());
      const payload = payloadOf(one.chunks);
      expect(payload.length).toBe(one.written);
      expect(payload.every((byte) => byte === one.fill)).toBe(true);
    }
    if (turn % 29 === 0 || turn % 31 === 0) {
      one.out[Symbol.dispose]();
      open[index] = make((next++ % 200) + 1);
    }
  }
});
