import { expect, test } from "bun:test";
import { objectFormat } from "../objects/object-format.ts";
import { bytesToHex } from "../objects/oid.ts";
import { TipOids } from "./tip-oids.ts";

test.each(["sha1", "sha256"] as const)(
  "the oids of refs are there once each, in the order of the refs, and others are not (%s)",
  (name) => {
    const format = objectFormat(name);
    const hex = (index: number): string => new Bun.CryptoHasher(name).update(`${index}`).digest("hex");
    const named = [1, 1, 2, 3, 2, 4, 4, 1, 5].map(hex);
    const tips = TipOids.of(
      named.map((oid, index) => ({ name: `refs/heads/${index}`, oid, peeled: null })),
      format,
    );
    const packed = Array.from({ length: tips.packed.length / format.oidBytes }, (_, index) =>
      bytesToHex(tips.packed, index * format.oidBytes, format.oidBytes),
    );
    expect(packed).toEqual([1, 2, 3, 4, 5].map(hex));
    expect([1, 2, 3, 4, 5, 6].map((index) => tips.hasHex(hex(index)))).toEqual([true, true, true, true, true, false]);
    expect(packed.every((_, index) => tips.has(tips.packed, index * format.oidBytes))).toBe(true);
  },
);
