import { expect, test } from "bun:test";
import postgres from "postgres";
import { useTestApp } from "../../support/test-app.ts";

/** A search that the database does not answer within `database.statement_timeout_seconds` gives its connection back. */

const app = await useTestApp({ database: { connections: 1, statement_timeout_seconds: 1 } });
const alice = await app.user("alice");
await app.repository(alice, "held");
await alice.api.post("/repos/alice/held/issues", { title: "needle" });

test("a search that takes too long is busy, and holds nobody up afterwards", async () => {
  const { host, port, user, database } = app.forge.database.target;
  const holder = postgres({ host, port, user, database, max: 1 });
  try {
    await holder.begin(async (tx) => {
      await tx`lock table issue in access exclusive mode`;
      const { status, headers } = await alice.api.get("/repos/issues/search?q=needle");
      expect([status, headers.get("retry-after")]).toEqual([503, "2"]);
      // The only connection is free, though the table is still held.
      expect((await alice.api.get("/repos/alice/held")).status).toBe(200);
    });
  } finally {
    await holder.end();
  }
  const { status, body } = await alice.api.get<{ title: string }[]>("/repos/issues/search?q=needle");
  expect([status, body.map(({ title }) => title)]).toEqual([200, ["needle"]]);
});
