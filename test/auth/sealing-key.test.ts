import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Database } from "../../src/db/client.ts";
import { parseConnectionUrl } from "../../src/db/connection-options.ts";
import { serverSecret } from "../../src/db/schema/secrets.ts";
import { readServerKeys } from "../../src/domain/server/forge/server-keys.ts";
import { forgetSealingKey } from "../../src/domain/identity/server-keys/establish-sealing-key.ts";
import {
  isOpenToOthers,
  makeSealingKey,
  readSealingKey,
} from "../../src/domain/identity/server-keys/sealing-key-file.ts";
import { createTestDatabase } from "../support/cluster.ts";

/** The sealing key is in a file, and a key that is gone is never replaced. */

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
const directory = mkdtempSync(join(tmpdir(), "stithy-sealing-"));
stack.defer(() => rmSync(directory, { recursive: true, force: true }));

async function newDatabase(): Promise<Database> {
  const { url } = stack.use(await createTestDatabase());
  return stack.use(openDatabase({ target: parseConnectionUrl(url), connections: 2, statementTimeoutMs: 30_000 })).db;
}

const newPath = () => join(directory, crypto.randomUUID());
const readKey = async (db: Database, path: string) => (await readServerKeys(db, path, { durable: false })).seal;

describe("the first start", () => {
  test("makes a file that only the server's user may read; the database has no trace of the key", async () => {
    const [db, path] = [await newDatabase(), newPath()];
    const key = await readKey(db, path);
    expect(key).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toBe(`${Buffer.from(key).toString("base64")}\n`);
    expect(await readKey(db, path)).toEqual(key);
    const values = (await db.select().from(serverSecret)).map(({ value }) => Buffer.from(value));
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => value.includes(Buffer.from(key)))).toEqual([]);
  });

  test("takes a key that is there", async () => {
    const [db, path] = [await newDatabase(), newPath()];
    const key = crypto.getRandomValues(new Uint8Array(32));
    writeFileSync(path, Buffer.from(key).toString("base64"));
    expect(await readKey(db, path)).toEqual(key);
  });
});

describe("a later start", () => {
  test("without the key is refused, and makes none; given back, all is as before", async () => {
    const [db, path] = [await newDatabase(), newPath()];
    const key = await readKey(db, path);
    const elsewhere = newPath();
    const failure = await readKey(db, elsewhere).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "invalid", code: "sealing-key-missing" });
    expect((failure as Error).message).toContain(elsewhere);
    expect(existsSync(elsewhere)).toBe(false);
    expect(await readKey(db, path)).toEqual(key);
  });

  test("with the key of another database is refused", async () => {
    const [db, other, path, otherPath] = [await newDatabase(), await newDatabase(), newPath(), newPath()];
    await readKey(db, path);
    await readKey(other, otherPath);
    expect(await readKey(db, otherPath).catch((error: unknown) => error)).toMatchObject({ code: "wrong-sealing-key" });
  });

  test.each([
    "",
    "not base64!",
    Buffer.alloc(31).toString("base64"),
    Buffer.alloc(64).toString("base64"),
    "\0".repeat(44),
  ])("with a damaged file is refused, and leaves it: %j", async (text) => {
    const path = newPath();
    writeFileSync(path, text);
    const refused = readSealingKey(path).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ kind: "invalid", code: "sealing-key-unusable" });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("tells a file that others may read", async () => {
    const path = newPath();
    await makeSealingKey(path, false);
    expect(await isOpenToOthers(path)).toBe(false);
    chmodSync(path, 0o640);
    expect(await isOpenToOthers(path)).toBe(true);
  });

  test("makes another key where an administrator gave the former one up", async () => {
    const [db, path] = [await newDatabase(), newPath()];
    const key = await readKey(db, path);
    await db.transaction((tx) => forgetSealingKey(tx));
    const other = newPath();
    expect(await readKey(db, other)).not.toEqual(key);
    expect(existsSync(other)).toBe(true);
  });
});
