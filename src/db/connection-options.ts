import { parse } from "pg-connection-string";
import { InvalidInput, messageOf } from "../lib/errors.ts";

/** Where a PostgreSQL server is, in the form that the client takes. */
export interface ConnectionTarget {
  /** A host name or address, or the absolute path of the directory that holds the unix socket. */
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
  tls: "off" | "on" | "verify";
}

/**
 * How long a connection may take to be made, in seconds. The database behind a socket of this machine is there, or refuses
 * at once: one that is slow runs on a busy machine. A network may swallow what is sent to it.
 */
export function connectSeconds({ host }: ConnectionTarget): number {
  return host.startsWith("/") ? 300 : 10;
}

/**
 * Reads a libpq connection URI, the socket forms (`postgres://u@/db?host=/dir`, `postgres://%2Fdir/db`) included.
 * Throws InvalidInput naming what is missing; the password is never part of a message.
 */
export function parseConnectionUrl(url: string): ConnectionTarget {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new InvalidInput('The database URL does not begin with "postgres://"', "database.url");
  }
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(url, { useLibpqCompat: true });
  } catch (error) {
    throw new InvalidInput(`The database URL cannot be read: ${messageOf(error).replaceAll(url, "…")}`, "database.url");
  }
  if (!parsed.database) {
    throw new InvalidInput("The database URL names no database", "database.url");
  }
  const port = parsed.port ? Number(parsed.port) : 5432;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new InvalidInput(`The database URL has an impossible port "${parsed.port}"`, "database.url");
  }
  const mode = new URLSearchParams(url.split("?")[1] ?? "").get("sslmode") ?? "prefer";
  return {
    host: parsed.host || "localhost",
    port,
    user: parsed.user || "postgres",
    ...(parsed.password ? { password: parsed.password } : {}),
    database: parsed.database,
    tls: mode === "verify-full" || mode === "verify-ca" ? "verify" : mode === "require" ? "on" : "off",
  };
}
