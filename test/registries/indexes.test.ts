import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { extraDigests } from "../../src/blobs/blob-store.ts";
import { serverDoer } from "../../src/domain/spine/doer.ts";
import { findIndex, findIndexFile, type IndexName } from "../../src/domain/packages/index-queries.ts";
import { PackageIndexes, type IndexFormat } from "../../src/domain/packages/package-indexes.ts";
import { publishFile } from "../../src/domain/packages/publish-file.ts";
import { keepIndexes } from "../../src/domain/packages/follow-packages.ts";
import { until } from "../support/until.ts";
import { useTestApp } from "../support/test-app.ts";

/** A format whose index names what it has, and whose second file has to agree with the first. */
const format: IndexFormat = {
  type: "debian",
  async build({ parts, stanzas, stage, stageGzip }) {
    const [list, packed] = await Promise.all([stage("list", stanzas("names")), stageGzip("list.gz", stanzas("names"))]);
    const count = parts.find(({ part }) => part === "names")?.count ?? 0;
    return [list, packed, await stage("sum", `${count} ${list.blob.sha256}\n`)];
  },
};

const app = await useTestApp({ packages: { index_limit_bytes: 64 * 1024 } });
const { forge } = app;
const { db, sql } = forge.database;
const { change } = forge;
const parts = {
  db,
  change,
  blobs: forge.files.blobs,
  keys: forge.packageKeys,
  log: forge.log,
  formats: [format],
  builds: 2,
  limitBytes: 64 * 1024,
};
const indexes = new PackageIndexes(parts);
// Jobs and the API build with it, too.
Object.assign(forge.packageIndexes, { publish: (asked: IndexName) => indexes.publish(asked) });
const alice = await app.user("alice");
const owner = { id: alice.id, name: "alice", kind: "user" as const };
const name = { ownerId: alice.id, type: "debian" as const, name: "stable" };

async function publish(packageName: string, version = "1.0", rest = ""): Promise<void> {
  const content = [Buffer.from(`${packageName} ${version}`)];
  const stage = async function* () {
    yield* content;
  };
  await using blob = await forge.files.blobs.stage(null, stage(), { bytes: 100, digests: extraDigests });
  const stanza = {
    indexName: "stable",
    part: "names",
    sort: packageName,
    content: `${packageName} ${version}${rest}\n`,
  };
  await change(serverDoer("a test"), { blobs: [blob] }, (work) =>
    publishFile(
      work,
      owner as never,
      { type: "debian", name: packageName, version },
      {
        name: `${packageName}-${version}`,
        blob,
        stanzas: [stanza],
      },
    ),
  );
}

async function read(path: string, audience: "everyone" | "insiders" = "everyone"): Promise<string | null> {
  const row = await findIndexFile(db, name, { path, audience });
  const blob = row === null ? null : await forge.files.blobs.find(Buffer.from(row.sha256).toString("hex"));
  return blob === null ? null : await blob.text();
}

/** The lines of the list, once its sum was found to be that of the same generation. */
async function lines(audience: "everyone" | "insiders" = "everyone"): Promise<string[]> {
  const list = (await read("list", audience)) ?? "";
  const found = list === "" ? [] : list.trimEnd().split("\n");
  if (list !== "") {
    expect(await read("sum", audience)).toBe(`${found.length} ${createHash("sha256").update(list).digest("hex")}\n`);
  }
  return found;
}

test("an index has all that was committed before it was asked for, and is built less often than it changes", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `p${String(at).padStart(2, "0")}`);
  await Promise.all(
    names.map(async (one) => {
      await publish(one);
      await indexes.publish(name);
      expect((await lines()).filter((line) => line === `${one} 1.0`)).toHaveLength(1);
    }),
  );
  expect(await lines()).toEqual(names.map((one) => `${one} 1.0`));
  const index = await findIndex(db, name);
  expect(index?.built).toBe(20);
  expect(index?.generation).toBeLessThan(20);
});

test("two processes that build it at the same time end with everything in it", async () => {
  const other = new PackageIndexes(parts);
  await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      await publish(`q${at}`);
      await (at % 2 === 0 ? indexes : other).publish(name);
    }),
  );
  expect((await lines()).filter((line) => line.startsWith("q"))).toHaveLength(10);
});

test("what is deleted by API leaves the index", async () => {
  expect((await alice.api.delete("/packages/alice/debian/q0/1.0")).status).toBe(204);
  await indexes.publish(name);
  expect((await lines()).filter((line) => line.startsWith("q"))).toHaveLength(9);
});

test("a package of a private repository is named only to those who manage the owner, also when the repository is gone", async () => {
  const repository = await app.repository(alice, "tool");
  const has = async (audience: "everyone" | "insiders") => {
    await indexes.publish(name);
    return (await lines(audience)).includes("q1 1.0");
  };
  expect((await alice.api.post("/packages/alice/debian/q1/-/link/tool")).status).toBe(201);
  expect([await has("everyone"), await has("insiders")]).toEqual([true, true]);
  expect((await alice.api.patch("/repos/alice/tool", { private: true })).status).toBe(200);
  expect([await has("everyone"), await has("insiders")]).toEqual([false, true]);
  expect((await app.anonymous.get("/packages/alice/debian/q1/1.0")).status).toBe(404);
  expect((await alice.api.delete(`/repos/${repository.full_name}`)).status).toBe(204);
  expect([await has("everyone"), await has("insiders")]).toEqual([false, true]);
  expect((await app.anonymous.get("/packages/alice/debian/q1/1.0")).status).toBe(404);
  expect((await alice.api.get("/packages/alice/debian/q1/1.0")).status).toBe(200);
  const publicOnly = await app.token(alice, ["read:package", "public-only"]);
  const headers = { authorization: `token ${publicOnly}` };
  expect((await fetch(`${app.url}/api/v1/packages/alice/debian/q1/1.0`, { headers })).status).toBe(404);
  expect((await alice.api.post("/packages/alice/debian/q1/-/unlink")).status).toBe(204);
  expect([await has("everyone"), await has("insiders")]).toEqual([true, true]);
});

test("replaced generations stay for a while; of each index so many, and the task deletes those that are old", async () => {
  const count = async () =>
    (await sql`select count(distinct generation)::int as n from package_index_file`)[0]?.["n"] as number;
  await publish("r");
  await indexes.publish(name);
  expect(await count()).toBeGreaterThan(2);
  await keepIndexes(forge);
  expect(await count()).toBeGreaterThan(2);
  // One that is old and was replaced just now is wanted by clients that have read its first file.
  await sql`update package_index_file set created_at = created_at - interval '1 hour'
    where generation = (select min(generation) from package_index_file)`;
  const before = await count();
  await keepIndexes(forge);
  expect(await count()).toBe(before);
  await sql`update package_index_file set created_at = created_at - interval '11 minutes'`;
  await keepIndexes(forge);
  expect(await count()).toBe(2);
});

test("replaced generations of a large index are deleted at once, but for the last one", async () => {
  const rest = "x".repeat(50 * 1024);
  await publish("wide", "1.0", rest);
  for (const each of ["a", "b", "c", "d", "e"]) {
    await publish(`w${each}`);
    await indexes.publish(name);
  }
  const generations =
    await sql`select generation, sum(bytes)::int as bytes from package_index_file group by 1 order by 1`;
  // A list of 50 KB each, and twice the limit of 64 KB.
  expect(generations.map(({ bytes }) => (bytes as number) > 50 * 1024)).toEqual([true, true, true]);
  expect((await alice.api.delete("/packages/alice/debian/wide/1.0")).status).toBe(204);
});

test("an owner has at most 100 indexes of a format", async () => {
  await sql`insert into package_index (owner_id, type, name, wanted, bytes)
    select ${alice.id}, 'debian', 'other' || n, 0, 1 from generate_series(1, 100) n`;
  await expect(publish("one-more")).rejects.toThrow(
    'There are 100 indexes of this format already, and "stable" would be another',
  );
  await sql`delete from package_index where name like 'other%'`;
});

test("an index that would be too large takes nothing more, until something goes", async () => {
  const rest = "x".repeat(40 * 1024);
  await publish("large", "1.0", rest);
  const before = await sql`select count(*)::int as files from package_file`;
  expect(publish("large", "2.0", rest)).rejects.toThrow(
    'The lists of the index "stable" would have more than 65536 bytes',
  );
  expect(await sql`select count(*)::int as files from package_file`).toEqual(before);
  expect((await alice.api.delete("/packages/alice/debian/large/1.0")).status).toBe(204);
  await publish("large", "2.0", rest);
  const [index] =
    await sql`select bytes, (select sum(octet_length(content))::int from package_stanza) as all_bytes from package_index`;
  expect(Number(index?.["bytes"])).toBe(Number(index?.["all_bytes"]));
});

test("an upload reads the bytes that the index counts, and does not add up all stanzas", async () => {
  const [index] = await sql`select bytes from package_index where name = 'stable'`;
  await sql`update package_index set bytes = 65536 where name = 'stable'`;
  await expect(publish("counted")).rejects.toThrow('The lists of the index "stable" would have more than 65536 bytes');
  await sql`update package_index set bytes = ${index?.["bytes"]} where name = 'stable'`;
});

test("with its last package the index has no files", async () => {
  const { body } = await alice.api.get<{ name: string; version: string }[]>("/packages/alice?type=debian&limit=50");
  for (const found of body) {
    await alice.api.delete(`/packages/alice/debian/${found.name}/${found.version}`);
  }
  await indexes.publish(name);
  expect([await read("list"), await read("sum")]).toEqual([null, null]);
});

test("a change asks for the index by a job, so that it comes even if nobody waits", async () => {
  await publish("late");
  await until("the index is published", async () => {
    const waiting = await sql`select 1 from package_index where built < wanted`;
    return waiting.length === 0;
  });
  expect(await lines()).toEqual(["late 1.0"]);
});

test("a key is made once, and the database has only its sealed half", async () => {
  let made = 0;
  const make = async () => ({ publicKey: `public ${++made}`, secretKey: "the secret half" });
  const all = await Promise.all(Array.from({ length: 5 }, () => forge.packageKeys.get(alice.id, "rpm", make)));
  expect([made, new Set(all.map(({ publicKey }) => publicKey)).size]).toEqual([1, 1]);
  expect(await forge.packageKeys.get(alice.id, "rpm", make)).toEqual({
    publicKey: "public 1",
    secretKey: "the secret half",
  });
  const [row] = await sql`select encode(sealed_secret, 'escape') as sealed from package_key`;
  expect(row?.["sealed"]).not.toContain("secret half");
});
