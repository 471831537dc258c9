import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { silentLogger } from "../../src/lib/log.ts";
import { TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { LfsClient, sha256 } from "./raw-lfs.ts";

/** Of an upload that is refused after its bytes came nothing stays; of one that is taken nothing goes, whoever else has the same. */

const app = await TestApp.start({ database: { connections: 10 } }, silentLogger);
afterAll(() => app[Symbol.asyncDispose]());
const { sql } = app.forge.database;
const alice = await app.user("alice");
const sites: { id: number; name: string; client: LfsClient }[] = [];
for (const name of ["one", "two"]) {
  sites.push({ ...(await app.repository(alice, name)), name, client: LfsClient.of(app, `alice/${name}`, alice.token) });
}
const [one, two] = sites as [(typeof sites)[number], (typeof sites)[number]];
const data = join(app.forge.files.packDirectory, "..");
const files = () =>
  ["blobs", "tmp"]
    .flatMap((directory) =>
      readdirSync(join(data, directory), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? entry.name : [],
      ),
    )
    .sort();
const gate = 4713;

// An object's length says what becomes of the transaction that links it, at its end; one of another length waits at the gate first.
await sql.unsafe(`
  create function play_fate() returns trigger language plpgsql as $$ begin
    if (select bytes from blob where sha256 = new.sha256) >= 100 then perform pg_advisory_xact_lock(${gate}); end if;
    if (select bytes from blob where sha256 = new.sha256) % 2 = 1 and new.subject_id = ${one.id} then raise exception 'as the length says'; end if;
    return null;
  end $$;
  create constraint trigger fate after insert on blob_reference deferrable initially deferred for each row execute function play_fate();`);

async function waiting(kind: string): Promise<number> {
  const [row] =
    await sql`select count(*)::int as n from pg_locks l join pg_stat_activity a using (pid) where not l.granted and l.locktype = ${kind} and a.datname = current_database()`;
  return Number(row?.["n"]);
}

const put = async (site: { client: LfsClient }, text: string): Promise<number> =>
  (await site.client.put(sha256(text), text)).status;

describe("nothing stays when", () => {
  test("the repository is archived while the bytes come", async () => {
    let upload: Promise<number> | undefined;
    await sql.begin(async (tx) => {
      await tx`update repository set archived_at = now() where id = ${one.id}`;
      upload = put(one, "archived");
      await until(
        "the upload waits for the repository",
        async () => (await waiting("tuple")) + (await waiting("transactionid")) > 0,
      );
    });
    expect(await upload).toBe(403);
    await sql`update repository set archived_at = null where id = ${one.id}`;
    expect(files()).toEqual([]);
  });

  test("the database fails at the end", async () => {
    expect(await put(one, "odd")).toBe(500);
    expect(files()).toEqual([]);
    expect(await sql`select 1 from blob`).toHaveLength(0);
  });

  test("the connection is lost at the end", async () => {
    let upload: Promise<number> | undefined;
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${gate})`;
      upload = put(one, "even".repeat(25));
      await until("the upload waits at the gate", async () => (await waiting("advisory")) > 0);
      expect(files()).toEqual([sha256("even".repeat(25))]);
      await tx`select pg_terminate_backend(pid) from pg_locks where not granted and locktype = 'advisory'`;
    });
    expect(await upload).toBe(503);
    expect(files()).toEqual([]);
  });

  test("a picture's owner cannot be changed", async () => {
    await sql.unsafe(`create function keep() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger keep before update of avatar_sha256 on owner for each row execute function keep();`);
    const response = await fetch(`${app.url}/api/v1/user/avatar`, {
      method: "POST",
      headers: { authorization: `token ${alice.token}`, "content-type": "application/json" },
      body: JSON.stringify({ image: picture().toString("base64") }),
    });
    expect(response.status).toBe(500);
    expect(files()).toEqual([]);
  });
});

describe("what another repository has of the same content stays when", () => {
  test("it had it before", async () => {
    expect(await put(two, "thrice")).toBe(200);
    expect(await put(two, "other")).toBe(200);
    const before = files();
    expect(await put(one, "other")).toBe(500);
    expect(files()).toEqual(before);
    expect(await (await two.client.get(sha256("other"))).text()).toBe("other");
  });

  test("it waits for the one that is refused", async () => {
    const text = "n".repeat(101);
    const before = files();
    let uploads: Promise<number>[] = [];
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${gate})`;
      uploads = [put(one, text)];
      await until("the first waits at the gate", async () => (await waiting("advisory")) > 0);
      uploads.push(put(two, text));
      await until("the second waits for the first", async () => (await waiting("transactionid")) > 0);
    });
    expect(await Promise.all(uploads)).toEqual([500, 200]);
    expect(files()).toEqual([...before, sha256(text)].sort());
    expect(await (await two.client.get(sha256(text))).text()).toBe(text);
  });
});

/** A PNG of one pixel, whose checksums nobody looks at. */
function picture(): Buffer {
  const chunk = (type: string, content: Uint8Array): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    const body = Buffer.concat([Buffer.from(type), content]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(Bun.hash.crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", Buffer.from("00000001000000010800000000", "hex")),
    chunk("IDAT", deflateSync(Buffer.alloc(2))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
