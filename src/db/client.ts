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
    // Seconds before trying again to connect. The client's own steps go up to twenty, long after the database is back.
    backoff: (attempts) => Math.min(0.05 * 2 ** attempts, 1),
    onnotice: () => {},
    connection: {
      application_name: "stithy",
      statement_timeout: options.statementTimeoutMs,
      // Planning the query that every request begins with takes longer than running it, and it is the same each time.
      plan_cache_mode: "force_generic_plan",
    },
  });
  prepareWhatComesAgain(sql);
  return {
    sql,
    db: drizzle(sql, { casing: "snake_case" }),
    async [Symbol.asyncDispose]() {
      // Whoever queries is gone by now; but a connection that broke in the middle of a statement is waited for to no end.
      await sql.end({ timeout: 1 });
    },
  };
}

/** How many statements a connection keeps prepared. Texts that only come now and then, such as searches, stay outside. */
const preparedStatements = 400;
const seenOnce = 2000;
/** Characters. Longer texts are made from what users send, and a plan takes many times their size, on every connection. */
const longestPrepared = 16 * 1024;

/**
 * Drizzle hands every query to `unsafe`, which postgres.js never prepares: the server would parse and plan each anew,
 * at several times the price of running it. So a text that comes a second time is prepared.
 */
function prepareWhatComesAgain(sql: postgres.Sql): void {
  const prepared = new Set<string>();
  const seen = new Set<string>();
  const shouldPrepare = (text: string): boolean => {
    if (prepared.has(text)) {
      return true;
    }
    if (text.length > longestPrepared) {
      return false;
    }
    if (!seen.has(text)) {
      if (seen.size >= seenOnce) {
        seen.clear();
      }
      seen.add(text);
      return false;
    }
    return prepared.size < preparedStatements && prepared.add(text).has(text);
  };
  const preparing = (connection: Pick<postgres.Sql, "unsafe">): void => {
    const unsafe = connection.unsafe.bind(connection);
    connection.unsafe = (text, parameters, options) => unsafe(text, parameters, { prepare: parameters !== undefined && parameters.length > 0 && shouldPrepare(text), ...options });
  };
  preparing(sql);
  const begin = sql.begin.bind(sql) as (run: (connection: postgres.TransactionSql) => unknown) => Promise<unknown>;
  const preparingBegin = (run: (connection: postgres.TransactionSql) => unknown) =>
    begin((connection) => {
      preparing(connection);
      return run(connection);
    });
  sql.begin = preparingBegin as typeof sql.begin;
}
