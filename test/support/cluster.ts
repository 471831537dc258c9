import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { loadConfig } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/env.ts";
import { openDatabase } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { EmbeddedPostgres } from "../../src/postgres/embedded-postgres.ts";
import { ClusterTemplate } from "../../src/postgres/template.ts";

/** A database of its own, empty but migrated. Disposing drops it. */
export interface TestDatabase extends AsyncDisposable {
  /** As DATABASE_URL takes it. */
  readonly url: string;
}

/** Where databases are made from: the one that they are copied from has to be free of sessions. */
const adminDatabase = "admin";

/** One database server for all test files of a process: it gives up durability, and lives in a temporary directory. */
class TestCluster implements AsyncDisposable {
  private count = 0;

  private constructor(
    private readonly directory: string,
    private readonly server: EmbeddedPostgres,
    private readonly admin: postgres.Sql,
  ) {}

  static async start(): Promise<TestCluster> {
    const { cacheDirectory } = loadConfig(readEnvironment());
    const template = await ClusterTemplate.prepare({
      cacheDirectory,
      key: JSON.stringify(["test", ...migrations.map(({ name, sql }) => [name, Bun.hash(sql).toString(36)])]),
      log: silentLogger,
      prepare: async (connection) => {
        await using database = openDatabase({
          target: { ...connection, tls: "off" },
          connections: 2,
          statementTimeoutMs: 60_000,
        });
        await migrate(database.sql);
        await database.sql`create database ${database.sql(adminDatabase)} template ${database.sql(connection.database)}`;
      },
    });
    const directory = await mkdtemp(join(tmpdir(), "stithy-testdb-"));
    chmodSync(directory, 0o711);
    const postgresDirectory = join(directory, "postgres");
    await template.copyTo(postgresDirectory);
    const server = await EmbeddedPostgres.start({
      directory: postgresDirectory,
      cacheDirectory,
      durable: false,
      log: silentLogger,
    });
    const admin = postgres({ ...server.connection, database: adminDatabase, max: 1, onnotice: () => {} });
    return new TestCluster(directory, server, admin);
  }

  async createDatabase(): Promise<TestDatabase> {
    const { host, user, database: migrated } = this.server.connection;
    const name = `test_${process.pid}_${++this.count}`;
    await this.admin`create database ${this.admin(name)} template ${this.admin(migrated)}`;
    return {
      url: `postgres://${user}@/${name}?host=${encodeURIComponent(host)}`,
      [Symbol.asyncDispose]: async () => {
        await this.admin`drop database ${this.admin(name)} with (force)`;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin.end({ timeout: 1 });
    await this.server[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

const key = Symbol.for("stithy.test-cluster");
const shared = globalThis as { [key]?: Promise<TestCluster> };

/** A fresh database in the cluster of this process, which is started at the first call. */
export async function createTestDatabase(): Promise<TestDatabase> {
  shared[key] ??= TestCluster.start();
  return (await shared[key]).createDatabase();
}

/** Stops the cluster, if it was started. */
export async function stopTestCluster(): Promise<void> {
  const cluster = await shared[key];
  delete shared[key];
  await cluster?.[Symbol.asyncDispose]();
}
