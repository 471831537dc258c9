import { drizzle, type PostgresJsDatabase, type PostgresJsTransaction } from "drizzle-orm/postgres-js";
import type { ExtractTablesWithRelations } from "drizzle-orm";
import postgres from "postgres";
import type { ConnectionTarget } from "./connection-options.ts";

type NoSchema = Record<string, never>;

/** Reads; and `transaction(...)`, the only way to a Transaction. */
export type Database = PostgresJsDatabase<NoSchema>;
/** What every function that writes takes first, so that it cannot run outside one. */
export type Transaction = PostgresJsTransaction<NoSchema, ExtractTablesWithRelations<NoSchema>>;
/** Where a read may run: on its own or inside a transaction. */
export type Reader = Database | Transaction;

/** An open pool of connections. */
export interface DatabaseClient extends AsyncDisposable {
  readonly db: Database;
  /** postgres.js itself, for what Drizzle has no words for: advisory locks and array casts. */
  readonly sql: postgres.Sql;
}

export interface ClientOptions {
  target: ConnectionTarget;
  /** The most connections at once. */
  connections: number;
  /** A statement running longer is ended by the server, in milliseconds. */
  statementTimeoutMs: number;
}

export function openDatabase(options: ClientOptions): DatabaseClient {
  const { target } = options;
  const sql = postgres({
    host: target.host,
    port: target.port,
    user: target.user,
    database: target.database,
    ...(target.password === undefined ? {} : { password: target.password }),
    ssl: target.tls === "off" ? false : target.tls === "on" ? "require" : "verify-full",
    max: options.connections,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: "stithy",
      statement_timeout: options.statementTimeoutMs,
      // Planning the query that every request begins with takes longer than running it, and it is the same each time.
      plan_cache_mode: "force_generic_plan",
    },
  });
  return {
    sql,
    db: drizzle(sql, { casing: "snake_case" }),
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 5 });
    },
  };
}
