import postgres from "postgres";

/** The PostgresError inside whatever a query threw (Drizzle wraps it as `cause`), or null. */
export function findPostgresError(error: unknown): postgres.PostgresError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof postgres.PostgresError) {
      return cause;
    }
  }
  return null;
}

/**
 * What a log may hold of something that was thrown. Drizzle puts a statement's parameters into its message, and they
 * can be anything that users send: so a failed statement is told without them.
 */
export function describeError(error: unknown): { reason: string; query?: string; stack?: string } {
  if (!(error instanceof Error)) {
    return { reason: String(error) };
  }
  const frames = error.stack
    ?.split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
  const stack = frames === undefined ? {} : { stack: frames };
  return "query" in error && error.cause instanceof Error
    ? { reason: error.cause.message, query: String(error.query).replaceAll(/\s+/g, " ").slice(0, 500), ...stack }
    : { reason: error.message, ...stack };
}

/** Whether a row named a user who is not there, as one who was deleted in this moment. */
export function lacksUser(error: unknown): boolean {
  const found = findPostgresError(error);
  return found?.code === "23503" && found.constraint_name?.endsWith("_account_owner_id_fk") === true;
}

/** Whether the write broke the unique index or key of this name. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  const cause = findPostgresError(error);
  return cause?.code === "23505" && cause.constraint_name === constraint;
}

/** Whether the database could not be reached at all, as opposed to having refused a statement. */
export function isConnectionFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, syscall } = cause as { code?: unknown; syscall?: unknown };
    // A file that is missing is the database's socket only where that was to be connected to.
    const isSocket = code !== "ENOENT" || syscall === "connect";
    if (
      typeof code === "string" &&
      isSocket &&
      /^(CONNECT|CONNECTION_|ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|57P0)/.test(code)
    ) {
      return true;
    }
  }
  return false;
}

/**
 * Words for a database that cannot do its work at the moment: it is gone, starts or stops, its disk is full, it has too
 * many connections, or a statement has waited for others, or run, for longer than `database.statement_timeout_seconds`.
 * null for everything else, such as a statement that it refused.
 */
export function findOutage(error: unknown): string | null {
  switch (findPostgresError(error)?.code) {
    case "53100":
      return "There is no room left on the database's disk";
    case "53300":
      return "The database has too many connections at the moment";
    case "57014":
      return "The database did not answer in time; try again";
  }
  return isConnectionFailure(error) ? "The database cannot be reached at the moment" : null;
}

/**
 * Words for a write that came too late: what it refers to was deleted meanwhile (a broken foreign key), or it and
 * another waited for each other and this one was ended. null for everything else.
 */
export function findOvertaken(error: unknown): string | null {
  switch (findPostgresError(error)?.code) {
    case "23503":
      return "What this belongs to was deleted in the meantime; try again to see what is left";
    case "40P01":
      return "Another request changed the same things at the same time; try again";
    default:
      return null;
  }
}
