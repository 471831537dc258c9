import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { loadConfig } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/env.ts";
import { openDatabase } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { migrations } from "../../src/db/migrations.ts";
import { routines } from "../../src/db/routines.ts";
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

/** Where the cluster is that the run lends to this process, as JSON. */
const lentVariable = "TEST_CLUSTER";

/** How to reach a database server that databases are made on. */
interface ClusterAddress {
  readonly host: string;
  readonly user: string;
  /** The database that the others are copies of. */
  readonly migrated: string;
}

/** A database server in a temporary directory, which gives up durability unless a test crashes it. */
class TestCluster implements AsyncDisposable {
  private constructor(
    private readonly directory: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  static async start({ durable = false } = {}): Promise<TestCluster> {
    const { cacheDirectory } = loadConfig(readEnvironment());
    const template = await ClusterTemplate.prepare({
      cacheDirectory,
      key: JSON.stringify(["test", Bun.hash(JSON.stringify([migrations, routines])).toString(36)]),
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
      durable,
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

  get isLent(): boolean {
    return this.own === null;
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
  const made = (shared[key] ??= makeDatabases());
  const maker = await made;
  try {
    return await maker.createDatabase();
  } catch (error) {
    if (!maker.isLent || !isLost(error)) {
      throw error;
    }
    // What the run lent was lost, which the files of this process need not be.
    console.error(`The database server of this run does not answer, so this process starts one: ${String(error)}`);
    if (shared[key] === made) {
      delete process.env[lentVariable];
      delete shared[key];
      await maker[Symbol.asyncDispose]();
    }
    return createTestDatabase();
  }
}

/** Whether nobody answered, or somebody who starts or ends: the rest is what the database has against a statement. */
function isLost(error: unknown): boolean {
  return !(error instanceof postgres.PostgresError) || error.code.startsWith("57P0");
}

async function makeDatabases(): Promise<DatabaseMaker> {
  const lent = process.env[lentVariable];
  if (lent !== undefined) {
    return new DatabaseMaker(JSON.parse(lent) as ClusterAddress, null);
  }
  const cluster = await TestCluster.start();
  return new DatabaseMaker(cluster.address, cluster);
}

/** A database on a durable cluster of its own, which a test may crash. Disposing ends the cluster. */
export async function startCluster(): Promise<TestDatabase> {
  const cluster = await TestCluster.start({ durable: true });
  const { host, user, migrated } = cluster.address;
  return {
    url: `postgres://${user}@/${migrated}?host=${encodeURIComponent(host)}`,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** Ends what `createTestDatabase` began. */
export async function closeTestDatabases(): Promise<void> {
  const maker = await shared[key];
  delete shared[key];
  await maker?.[Symbol.asyncDispose]();
}

/** Clusters that outlive the processes that use them, and for each the environment that lends it to one. */
export interface LentClusters extends AsyncDisposable {
  readonly environments: readonly Readonly<Record<string, string>>[];
}

/** Starts a cluster for each process that runs at a time: tests look at all that a cluster does, so two need one each. */
export async function lendClusters(processes: number): Promise<LentClusters> {
  await using stack = new AsyncDisposableStack();
  const environments: Record<string, string>[] = [];
  for (let count = 0; count < processes; count++) {
    const { address } = stack.use(await TestCluster.start());
    environments.push({ [lentVariable]: JSON.stringify(address) });
  }
  const owned = stack.move();
  return { environments, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
