import { drizzle, type PostgresJsDatabase, type PostgresJsTransaction } from "drizzle-orm/postgres-js";
import type { ExtractTablesWithRelations } from "drizzle-orm";
import postgres from "postgres";
import { connectSeconds, type ConnectionTarget } from "./connection-options.ts";

type NoSchema = Record<string, never>;

/** Reads; and `transaction(...)`, the only way to a Transaction. */
export type Database = PostgresJsDatabase<NoSchema>;
/** The first parameter of every function that writes, so that none writes outside of a transaction. */
export type Transaction = PostgresJsTransaction<NoSchema, ExtractTablesWithRelations<NoSchema>>;
/** Where a read may run: on its own or inside a transaction. */
export type Reader = Database | Transaction;

/** An open pool of connections. */
export interface DatabaseClient extends AsyncDisposable {
  readonly db: Database;
  /** postgres.js itself, for what Drizzle has no words for: advisory locks and array casts. */
  readonly sql: postgres.Sql;
  /** Where the database is, for those who need connections of their own. */
  readonly target: ConnectionTarget;
}

/**
 * Returns a prepared query that runs inside the transaction, on its connection; as it is without one. Drizzle would write
 * the statement anew for each transaction, which takes longer than to run it.
 */
export function within<Query extends object>(query: Query, tx: Transaction | undefined): Query {
  if (tx === undefined) {
    return query;
  }
  const { client } = (tx as unknown as { session: { client: unknown } }).session;
  return Object.create(query, { client: { value: client } }) as Query;
}

export interface ClientOptions {
  target: ConnectionTarget;
  /** The most connections at once. */
  connections: number;
  /** A statement running longer is ended by the server, in milliseconds. */
  statementTimeoutMs: number;
  /** A connection that was not used for so long is closed, in seconds: its process keeps about 9 MB. Without it, none is. */
  closeIdleSeconds?: number;
  /** Told when a connection has ended, for whatever reason. */
  onClose?: () => void;
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
    idle_timeout: options.closeIdleSeconds ?? 0,
    max_lifetime: null,
    connect_timeout: connectSeconds(target),
    // Seconds before trying again to connect. The client's own steps go up to twenty, long after the database is back.
    backoff: (attempts) => Math.min(0.05 * 2 ** attempts, 1),
    onnotice: () => {},
    ...(options.onClose === undefined ? {} : { onclose: options.onClose }),
    connection: {
      application_name: "stithy",
      statement_timeout: options.statementTimeoutMs,
      // Planning the query that every request begins with takes longer than running it, and it is the same each time.
      plan_cache_mode: "force_generic_plan",
    },
  });
  boundPrepared(sql);
  return {
    sql,
    target,
    db: drizzle(sql, { casing: "snake_case" }),
    async [Symbol.asyncDispose]() {
      // Whoever queries is gone by now; but a connection that broke in the middle of a statement is waited for to no end.
      await sql.end({ timeout: 1 });
    },
  };
}

/** How many statements a connection keeps prepared. */
const preparedStatements = 400;
/** Characters of all of them: the server keeps about a hundred bytes of plan for each, on every connection. */
const preparedText = 320 * 1024;
/** How many statements that are not prepared are counted. */
const counted = 2000;

/** How often a statement has to come before it is prepared. */
const timesToCome = 8;

/**
 * To parse and plan a statement takes the server several times as long as to run it, and Drizzle prepares only what has a
 * name. But a prepared statement stays with its connection for good, plan and all, and lists have one for each combination
 * of filters: a client that asks in every possible way would fill the server's memory. So this prepares statements with
 * parameters that come often, as long as there is room. PostgreSQL plans the rest each time.
 */
function boundPrepared(sql: postgres.Sql): void {
  const prepared = new Set<string>();
  const times = new Map<string, number>();
  let length = 0;
  const mayPrepare = (text: string): boolean => {
    if (prepared.has(text)) {
      return true;
    }
    if (prepared.size >= preparedStatements || length + text.length > preparedText) {
      return false;
    }
    const come = (times.get(text) ?? 0) + 1;
    if (come < timesToCome) {
      if (times.size >= counted) {
        times.clear();
      }
      times.set(text, come);
      return false;
    }
    times.delete(text);
    length += text.length;
    prepared.add(text);
    return true;
  };
  const bounding = (connection: Pick<postgres.Sql, "unsafe">): void => {
    const unsafe = connection.unsafe.bind(connection);
    connection.unsafe = (text, parameters, options) => {
      const repeatable = options?.prepare === true || (parameters !== undefined && parameters.length > 0);
      return unsafe(text, parameters, { ...options, prepare: repeatable && mayPrepare(text) });
    };
  };
  bounding(sql);
  const begin = sql.begin.bind(sql) as (run: (connection: postgres.TransactionSql) => unknown) => Promise<unknown>;
  const boundingBegin = (run: (connection: postgres.TransactionSql) => unknown) =>
    begin((connection) => {
      bounding(connection);
      return run(connection);
    });
  sql.begin = boundingBegin as typeof sql.begin;
}
