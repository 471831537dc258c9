import { expect, test } from "bun:test";
import { join } from "node:path";
import type postgres from "postgres";
import { extraDigests } from "../../src/blobs/blob-store.ts";
import { publishFile } from "../../src/domain/packages/publish-file.ts";
import { lockForFork } from "../../src/domain/repos/forks/queries.ts";
import { linkPacks, swapPacks } from "../../src/domain/git/packs/queries.ts";
import { lockRefs } from "../../src/domain/git/refs/queries.ts";
import { deleteRepositories } from "../../src/domain/repos/delete-repository.ts";
import { findOwner } from "../../src/domain/identity/owners/queries.ts";
import { blockUser } from "../../src/domain/identity/social/block-user.ts";
import { removeStar } from "../../src/domain/identity/social/queries.ts";
import { packPath } from "../../src/domain/git/packs/pack-path.ts";
import type { StagedPack } from "../../src/git/pack/staged-pack.ts";
import { useTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import type { Work } from "../../src/domain/spine/work.ts";

/** Transactions that want the same rows at the same time come to their ends, whichever of them got as far as it could first. */

const app = await useTestApp({ database: { connections: 10 } });
const alice = await app.user("alice");
const { change, database } = app.forge;
const doer = serverDoer("test");
const { packDirectory, temporaryDirectory } = app.forge.files;
const { db, sql } = database;
let made = 0;

const newRepository = async (): Promise<number> => (await app.repository(alice, `repository-${++made}`)).id;
const checksum = (digit: string): string => digit + (made.toString(16) + digit).padStart(39, "0");

/** A pack as far as rows and names of files go. */
async function staged(digit: string): Promise<StagedPack> {
  const path = join(temporaryDirectory, `${crypto.randomUUID()}.pack`);
  await Promise.all([Bun.write(path, "pack"), Bun.write(path.replace(".pack", ".idx"), "index")]);
  return {
    checksum: checksum(digit),
    path,
    finalPath: packPath(packDirectory, checksum(digit)),
    objectCount: 1,
    bytes: 4,
  };
}

async function link(repositoryId: number, digits: readonly string[]): Promise<void> {
  for (const digit of digits) {
    const pack = await staged(digit);
    await db.transaction((tx) => linkPacks(tx, repositoryId, [pack]));
  }
}

/** How many transactions wait for another one. */
async function waiting(): Promise<number> {
  const [row] =
    await sql`select count(distinct pid)::int as n from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`;
  return Number(row?.["n"]);
}

/** Begins one and then the other while somebody else has what both want, and lets them go on when each has come as far as it can. */
async function together(
  hold: (tx: postgres.TransactionSql) => Promise<unknown>,
  one: (work: Work) => Promise<unknown>,
  other: (work: Work) => Promise<unknown>,
): Promise<void> {
  let begun: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await hold(tx);
    const first = change(doer, one);
    await until("the first waits", async () => (await waiting()) === 1);
    begun = Promise.all([first, change(doer, other)]);
    await until("both wait", async () => (await waiting()) === 2);
  });
  await begun;
}

// Ids grow from "c" to "a", checksums from "a" to "c".
test.each([
  ["what a repack takes away", ["a", "b", "c"]],
  ["what it makes", ["0", "b", "c"]],
])("a repository gets several packs: %s of another", async (_, taken) => {
  const [third, repacked, other] = [await newRepository(), await newRepository(), await newRepository()];
  await link(third, ["0"]);
  await link(repacked, ["c", "b", "a"]);
  const [whole, several] = [await staged("0"), await Promise.all(taken.map(staged))];
  await together(
    (tx) => tx`select 1 from pack where checksum = ${checksum("b")} for update`,
    ({ tx }) => swapPacks(tx, repacked, ["a", "b", "c"].map(checksum), [whole]),
    ({ tx }) => linkPacks(tx, other, several),
  );
  const rows =
    await sql`select repository_id, checksum, git_bytes from repository_pack join pack on pack.id = pack_id join repository_size using (repository_id) where repository_id in (${repacked}, ${other}) order by 1, 2`;
  expect(rows.map((row) => [Number(row["repository_id"]), row["checksum"], Number(row["git_bytes"])])).toEqual([
    [repacked, checksum("0"), 4],
    ...taken.map((digit) => [other, checksum(digit), 12]),
  ]);
});

test("a repository gets the packs of another that is deleted", async () => {
  const [deleted, other] = [await newRepository(), await newRepository()];
  await link(deleted, ["c", "b", "a"]);
  const several = await Promise.all(["a", "b", "c"].map(staged));
  await together(
    (tx) => tx`select 1 from pack where checksum = ${checksum("b")} for update`,
    (work) => deleteRepositories(work, [deleted]),
    ({ tx }) => linkPacks(tx, other, several),
  );
  expect(
    [
      ...(await sql`select checksum from repository_pack join pack on pack.id = pack_id where repository_id = ${other} order by 1`),
    ].map((row) => row["checksum"]),
  ).toEqual(["a", "b", "c"].map(checksum));
});

test("a repository is forked while another one is deleted that has its packs", async () => {
  const [parent, deleted] = [await newRepository(), await newRepository()];
  await link(parent, ["c", "b", "a"]);
  await link(deleted, ["c", "b", "a"]);
  await together(
    (tx) => tx`select 1 from pack where checksum = ${checksum("b")} for update`,
    ({ tx }) => lockForFork(tx, parent, alice.id),
    (work) => deleteRepositories(work, [deleted]),
  );
  expect(await sql`select 1 from repository where id = ${deleted}`).toHaveLength(0);
});

test("a repository is deleted while its forks are", async () => {
  const [parent, first, second] = [await newRepository(), await newRepository(), await newRepository()];
  await sql`update repository set fork_of = ${parent} where id in (${first}, ${second})`;
  await together(
    (tx) => tx`select 1 from repository where id = ${first} for update`,
    (work) => deleteRepositories(work, [parent]),
    (work) => deleteRepositories(work, [second, first]),
  );
  expect(await sql`select 1 from repository where id in (${parent}, ${first}, ${second})`).toHaveLength(0);
});

test("the same pack twice among several is one", async () => {
  const id = await newRepository();
  const packs = [await staged("d"), await staged("e"), await staged("d")];
  await db.transaction((tx) => linkPacks(tx, id, packs));
  expect([...(await sql`select git_bytes from repository_size where repository_id = ${id}`)]).toEqual([
    { git_bytes: "8" },
  ]);
});

test("several repositories are deleted while one of them gets a pack of another", async () => {
  const [one, other] = [await newRepository(), await newRepository()];
  await link(one, ["f"]);
  const pack = await staged("f");
  let deleted: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    await lockRefs(tx, other);
    deleted = change(doer, (deleting) => deleteRepositories(deleting, [one, other]));
    await until("it waits for the second", async () => (await waiting()) === 1);
    await linkPacks(tx, other, [pack]);
  });
  expect(await deleted).toBe(2);
  expect(await sql`select 1 from pack where checksum = ${checksum("f")} and retired_at is null`).toHaveLength(0);
});

test("two repositories are deleted that have stars of the same users", async () => {
  const [one, other] = [await newRepository(), await newRepository()];
  const users: number[] = [];
  for (const name of ["dora", "emil", "fritz"]) {
    users.push((await app.user(name)).id);
  }
  for (const [repository, stargazers] of [
    [one, users],
    [other, users.toReversed()],
  ] as const) {
    for (const user of stargazers) {
      await sql`insert into star (user_id, repository_id) values (${user}, ${repository})`;
    }
  }
  await together(
    (tx) => tx`select 1 from owner where id = ${users[1] ?? 0} for update`,
    (work) => deleteRepositories(work, [one]),
    (work) => deleteRepositories(work, [other]),
  );
  expect([...(await sql`select sum(starred)::int as stars from owner`)]).toEqual([{ stars: 0 }]);
});

test.each(["deleted", "blocked"])(
  "a repository is deleted, or its owner blocks somebody, while they take a star back: %s",
  async (what) => {
    const repository = await newRepository();
    const { id: user, name } = await app.user(`user-${made}`);
    const [blocker, blocked] = [
      await findOwner(app.forge.database.db, "alice"),
      await findOwner(app.forge.database.db, name),
    ];
    if (blocker === null || blocked === null) {
      throw new Error("There are no such users");
    }
    await sql`insert into star (user_id, repository_id) values (${user}, ${repository})`;
    await sql`insert into follow (follower_id, followed_id) values (${user}, ${alice.id})`;
    const unstar = ({ tx }: Work) => removeStar(tx, user, repository);
    const steps =
      what === "deleted"
        ? [(work: Work) => deleteRepositories(work, [repository]), unstar]
        : [unstar, (work: Work) => blockUser(work, blocker, blocked)];
    await together((tx) => tx`select 1 from owner where id = ${user} for update`, steps[0]!, steps[1]!);
    expect([...(await sql`select starred from owner where id = ${user}`)]).toEqual([{ starred: 0 }]);
  },
);

test("a file comes to a package while the index that it is in is written", async () => {
  const publish = (name: string) => async () => {
    const stanza = { indexName: "stable", part: "amd64", sort: name, content: name };
    await using blob = await app.forge.files.blobs.stage(null, new Blob([name]).stream(), {
      bytes: 100,
      digests: extraDigests,
    });
    return await change(doer, { blobs: [blob] }, (work) =>
      publishFile(work, alice, { type: "debian", name, version: "1.0" }, { name, blob, stanzas: [stanza] }),
    );
  };
  await publish("first")();
  let begun: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    // As the writer of an index does: the index, and then what counts the bytes of its files.
    const [index] = await tx`select id from package_index where owner_id = ${alice.id} for no key update`;
    begun = publish("second")();
    await until("the file waits for the index", async () => (await waiting()) === 1);
    await tx`update owner_usage set packages = packages + 1 where owner_id = ${alice.id}`;
    await tx`update package_index set generation = generation + 1 where id = ${index?.["id"]}`;
  });
  await begun;
  const files = await sql`select name from package_file order by name`;
  expect(files.map(({ name }) => name)).toEqual(["first", "second"]);
});
