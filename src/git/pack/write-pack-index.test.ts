import { expect, test } from "bun:test";
import { randomFrom } from "../../../test/support/random.ts";
import { EntryTable } from "./entry-table.ts";
import { sortByOid } from "./write-pack-index.ts";

function tableOf(oids: readonly Uint8Array[]): EntryTable {
  const table = new EntryTable(oids.length, 20);
  for (const oid of oids) {
    table.oids.set(oid, table.add() * 20);
  }
  return table;
}

test("entries are sorted by all bytes of their oids, whatever begins alike", () => {
  const random = randomFrom(1);
  const oids = Array.from({ length: 600 }, (_, index) => {
    const oid = Buffer.from(random.bytes(20));
    // Among random ones, some that differ in one byte only, from the first to the last, on both sides of 0x80.
    return index % 2 === 0 ? oid : Buffer.alloc(20, 0x7f).fill(random.below(256), index % 20, (index % 20) + 1);
  });
  const unique = [...new Map(oids.map((oid) => [oid.toString("hex"), oid])).values()];
  const sorted = sortByOid(tableOf(unique), () => expect.unreachable());
  expect([...sorted].map((entry) => unique[entry]!.toString("hex"))).toEqual(
    unique.map((oid) => oid.toString("hex")).toSorted(),
  );
});

test("of equal oids the first in the pack comes first, and each further one is told", () => {
  const [one, other] = [Buffer.alloc(20, 1), Buffer.alloc(20, 1).fill(2, 19)];
  const told: number[] = [];
  expect([...sortByOid(tableOf([other, one, other, one, one]), (entry) => told.push(entry))]).toEqual([1, 3, 4, 0, 2]);
  expect(told).toEqual([3, 4, 2]);
});
