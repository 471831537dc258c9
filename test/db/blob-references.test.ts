import { expect, test } from "bun:test";
import { insertBlob, retireUnreferredBlobs } from "../../src/domain/git/blobs/queries.ts";
import { findObjects, linkObject } from "../../src/domain/git/lfs/queries.ts";
import { getRepositoryCounts } from "../../src/domain/repos/queries.ts";
import { useTestApp } from "../support/test-app.ts";

/** One table says what refers to a blob: the collector reads it, and an owner's bytes are a sum over it. */

const app = await useTestApp();
const { db, sql } = app.forge.database;
const alice = await app.user("alice");
const bob = await app.user("bob");
const { id: site } = await app.repository(alice, "site");
const { id: tool } = await app.repository(bob, "tool");
const oid = (digit: string) => digit.repeat(64);

const bytesOf = async (owner: number) => {
  const [row] = await sql`select coalesce(sum(bytes), 0)::int as bytes from blob_reference where owner_id = ${owner}`;
  return row?.["bytes"] as number;
};
const retired = () => db.transaction((tx) => retireUnreferredBlobs(tx, 100));

test("references follow what refers to a blob", async () => {
  await db.transaction(async (tx) => {
    await insertBlob(tx, oid("a"), 100);
    await insertBlob(tx, oid("b"), 20);
    expect(await linkObject(tx, site, oid("a"), 100)).toBe(true);
    expect(await linkObject(tx, site, oid("a"), 100)).toBe(false);
    expect(await linkObject(tx, tool, oid("a"), 100)).toBe(true);
  });
  await sql`update owner set avatar_sha256 = ${Buffer.from(oid("b"), "hex")} where id = ${alice.id}`;
  expect([await bytesOf(alice.id), await bytesOf(bob.id)]).toEqual([120, 100]);
  expect(await findObjects(db, site, [oid("a"), oid("b")])).toEqual(new Map([[oid("a"), 100]]));
  expect((await getRepositoryCounts(db, site)).lfsBytes).toBe(100);
  expect(await retired()).toBe(0);

  await sql`update repository set owner_id = ${bob.id} where id = ${site}`;
  expect([await bytesOf(alice.id), await bytesOf(bob.id)]).toEqual([20, 200]);
  await sql`delete from repository where id = ${tool}`;
  expect([await bytesOf(bob.id), await retired()]).toEqual([100, 0]);
  await sql`delete from repository where id = ${site}`;
  expect([await bytesOf(bob.id), await retired()]).toEqual([0, 1]);
  await sql`update owner set avatar_sha256 = null where id = ${alice.id}`;
  expect([await bytesOf(alice.id), await retired()]).toEqual([0, 1]);
});

test("a deleted owner's picture is referred to no more", async () => {
  const carol = await app.user("carol");
  await db.transaction((tx) => insertBlob(tx, oid("c"), 7));
  await sql`update owner set avatar_sha256 = ${Buffer.from(oid("c"), "hex")} where id = ${carol.id}`;
  expect(await retired()).toBe(0);
  await sql`delete from owner where id = ${carol.id}`;
  expect(await retired()).toBe(1);
});
