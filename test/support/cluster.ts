import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
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
import { quickDirectory } from "./quick-directory.ts";

/** A database of its own, empty but migrated. Disposing drops it. */
export interface TestDatabase extends AsyncDisposable {
  /** As DATABASE_URL takes it. */
  readonly url: string;
}

/** Where databases are made from: the one that they are copied from has to be free of sessions. */
const adminDatabase = "admin";

/** Where the clusters of a run are, as JSON; the first process of the run uses the first one. */
const lentVariable = "TEST_CLUSTERS";

/** How to reach a database server that databases are made on. */
interface ClusterAddress {
  readonly host: string;
  readonly user: string;
  /** The database that the others are copies of. */
  readonly migrated: string;
}

/** A database server that gives up durability, in a temporary directory. */
class TestCluster implements AsyncDisposable {
  private constructor(
    private readonly directory: string,
    private readonly server: EmbeddedPostgres,
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
    const directory = await mkdtemp(quickDirectory("stithy-testdb-"));
    chmodSync(directory, 0o711);
    const postgresDirectory = join(directory, "postgres");
    await template.copyTo(postgresDirectory);
    const server = await EmbeddedPostgres.start({
      directory: postgresDirectory,
      cacheDirectory,
      durable: false,
      log: silentLogger,
    });
    return new TestCluster(directory, server);
  }

  get address(): ClusterAddress {
    const { host, user, database: migrated } = this.server.connection;
    return { host, user, migrated };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Makes databases for all test files of a process, on a cluster that was lent to it or on one of its own. */
class DatabaseMaker implements AsyncDisposable {
  private readonly admin: postgres.Sql;

  constructor(
    private readonly address: ClusterAddress,
    private readonly own: TestCluster | null,
  ) {
    this.admin = postgres({
      host: address.host,
      user: address.user,
      database: adminDatabase,
      max: 1,
      onnotice: () => {},
    });
  }

  async createDatabase(): Promise<TestDatabase> {
    const { host, user, migrated } = this.address;
    // A name that comes again would meet what a file left that failed before its end.
    const name = `test_${crypto.randomUUID()}`;
    // To write all of it into the log as well, which is what PostgreSQL does otherwise, takes three times as long.
    await this.admin`create database ${this.admin(name)} template ${this.admin(migrated)} strategy file_copy`;
    return {
      url: `postgres://${user}@/${name}?host=${encodeURIComponent(host)}`,
      [Symbol.asyncDispose]: async () => {
        await this.admin`drop database ${this.admin(name)} with (force)`;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin.end({ timeout: 1 });
    await this.own?.[Symbol.asyncDispose]();
  }
}

const key = Symbol.for("stithy.test-databases");
const shared = globalThis as { [key]?: Promise<DatabaseMaker> };

/** A fresh database in the cluster of this process, which is started at the first call if none was lent. */
export async function createTestDatabase(): Promise<TestDatabase> {
  shared[key] ??= makeDatabases();
  return (await shared[key]).createDatabase();
}

async function makeDatabases(): Promise<DatabaseMaker> {
  const lent = JSON.parse(process.env[lentVariable] ?? "[]") as ClusterAddress[];
  const address = lent[Number(process.env["BUN_TEST_WORKER_ID"]) - 1];
  if (address !== undefined) {
    return new DatabaseMaker(address, null);
  }
  const cluster = await TestCluster.start();
  return new DatabaseMaker(cluster.address, cluster);
}

/** Ends what `createTestDatabase` began. */
export async function closeTestDatabases(): Promise<void> {
  const maker = await shared[key];
  delete shared[key];
  await maker?.[Symbol.asyncDispose]();
}

/** Clusters that outlive the test files, and the environment that lends one to each process of `bun test --parallel`. */
export interface LentClusters extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts a cluster for each of so many processes: tests look at all that a cluster does, so two at once need one each. */
export async function lendClusters(processes: number): Promise<LentClusters> {
  await using stack = new AsyncDisposableStack();
  const addresses: ClusterAddress[] = [];
  for (let count = 0; count < processes; count++) {
    addresses.push(stack.use(await TestCluster.start()).address);
  }
  const owned = stack.move();
  return {
    environment: { [lentVariable]: JSON.stringify(addresses) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
