import { findPostgresError } from "./pg-errors.ts";

const attempts = 5;

/**
 * Runs a transaction again that the server ended because it and another waited for each other: for the few that touch
 * so much that no order of locks can be kept.
 */
export async function retryDeadlocks<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attempts || findPostgresError(error)?.code !== "40P01") {
        throw error;
      }
    }
  }
}
