import { expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { connect } from "node:net";
import postgres from "postgres";
import { findOutage } from "./pg-errors.ts";

const nowhere = "/nowhere/at/all";

test("a socket of the database that is not there is an outage, also as the cause of what a query threw", async () => {
  const error = await new Promise((resolve) => connect(nowhere).on("error", resolve));
  expect(error).toMatchObject({ code: "ENOENT" });
  expect(findOutage(new Error("Failed query", { cause: error }))).toBe("The database cannot be reached at the moment");
});

test("a file that is not there says nothing of the database", async () => {
  const error = await open(nowhere).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "ENOENT" });
  expect(findOutage(error)).toBeNull();
});

test("a statement that was ended for its time, and a server that takes no more connections, are outages", () => {
  const postgresError = (code: string) =>
    new Error("Failed query", { cause: Object.assign(new postgres.PostgresError(""), { code }) });
  expect(findOutage(postgresError("57014"))).toBe("The database did not answer in time; try again");
  expect(findOutage(postgresError("53300"))).toBe("The database has too many connections at the moment");
  expect(findOutage(postgresError("42601"))).toBeNull();
});
