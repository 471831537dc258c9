import { findPostgresError, isConnectionFailure } from "../db/pg-errors.ts";
import { StithyError, messageOf } from "../lib/errors.ts";
import { CommandFailure } from "./command-failure.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** How a failed command ends: what it says and its exit code. */
export interface Failure {
  message: string;
  exitCode: ExitCode;
}

const inUse = new Set(["ssh-port-in-use", "postgres-directory-in-use", "data-directory-in-use"]);
/** Calls that fail with a path of a file; connecting to a database may fail with the same codes. */
const fileCalls = /^(open|mkdir|mkdtemp|rename|rm|stat|lstat|scandir|copyfile|access|chmod)$/;
const wrong = new Set(["configuration", "seed", "invalid-input", "invalid-scope"]);

/** Words for what went wrong. Only a fault of the program itself shows where it happened. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof CommandFailure) {
    return { message: error.message, exitCode: error.exitCode };
  }
  if (error instanceof StithyError && wrong.has(error.code)) {
    return { message: error.message, exitCode: exitCodes.wrong };
  }
  if (error instanceof StithyError) {
    return { message: error.message, exitCode: inUse.has(error.code) ? exitCodes.inUse : exitCodes.failed };
  }
  return explainSystemError(error) ?? { message: error instanceof Error ? (error.stack ?? error.message) : String(error), exitCode: exitCodes.failed };
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
