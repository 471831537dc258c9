import { findPostgresError, isConnectionFailure } from "../db/pg-errors.ts";
import { StithyError, messageOf, type ErrorKind } from "../lib/errors.ts";
import { CommandFailure } from "./command-failure.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** How a failed command ends: what it says and its exit code. */
export interface Failure {
  message: string;
  exitCode: ExitCode;
}

/** The exit code of each kind of error. */
const exitCodeOfKind: Readonly<Record<ErrorKind, ExitCode>> = {
  absent: exitCodes.failed,
  unauthenticated: exitCodes.failed,
  forbidden: exitCodes.failed,
  invalid: exitCodes.wrong,
  malformed: exitCodes.failed,
  conflict: exitCodes.failed,
  "too-large": exitCodes.failed,
  "too-many": exitCodes.failed,
  "too-slow": exitCodes.failed,
  busy: exitCodes.failed,
  full: exitCodes.failed,
  cancelled: exitCodes.failed,
  fault: exitCodes.failed,
};

/** The codes whose exit code differs from that of their kind. */
const exitCodeOfCode: Readonly<Record<string, ExitCode>> = {
  "ssh-port-in-use": exitCodes.inUse,
  "postgres-directory-in-use": exitCodes.inUse,
  "data-directory-in-use": exitCodes.inUse,
  "database-in-use": exitCodes.inUse,
};

/** Calls that fail with a path of a file; connecting to a database may fail with the same codes. */
const fileCalls = /^(open|mkdir|mkdtemp|rename|rm|stat|lstat|scandir|copyfile|access|chmod)$/;

/** Words for what went wrong. Only a fault of the program itself shows where it happened. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof CommandFailure) {
    return { message: error.message, exitCode: error.exitCode };
  }
  if (error instanceof StithyError) {
    return { message: error.message, exitCode: exitCodeOfCode[error.code] ?? exitCodeOfKind[error.kind] };
  }
  return (
    explainSystemError(error) ?? {
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      exitCode: exitCodes.failed,
    }
  );
}

function explainSystemError(error: unknown): Failure | null {
  const refused = findPostgresError(error);
  if (refused !== null) {
    return { message: `The database refused: ${refused.message}`, exitCode: exitCodes.failed };
  }
  const { code, path, syscall } = error as { code?: unknown; path?: unknown; syscall?: unknown };
  if (isConnectionFailure(error) && !fileCalls.test(String(syscall))) {
    return { message: `The database cannot be reached: ${messageOf(error)}`, exitCode: exitCodes.failed };
  }
  switch (code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return { message: `${named(path)} cannot be written: ${messageOf(error)}`, exitCode: exitCodes.failed };
    case "ENOSPC":
    case "EDQUOT":
      return { message: `There is no room left for ${named(path)}`, exitCode: exitCodes.failed };
    case "ENOTDIR":
    case "EEXIST":
    case "ENOENT":
    case "EISDIR":
      return { message: `${named(path)} cannot be used: ${messageOf(error)}`, exitCode: exitCodes.failed };
    default:
      return null;
  }
}

function named(path: unknown): string {
  return typeof path === "string" ? path : "A file";
}
