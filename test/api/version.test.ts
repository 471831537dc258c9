import { expect, test } from "bun:test";
import { UsageCounter } from "../../src/domain/server/usage/usage-counter.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();

test("anybody may ask for the version", async () => {
  const { status, body } = await app.anonymous.get<{ version: string }>("/version");
  expect(status).toBe(200);
  expect(body.version).toMatch(/^1\.26\.0\+stithy-\d+\.\d+\.\d+/);
});

test("the page that describes the API is found from within it, by anybody", async () => {
  const response = await fetch(`${app.url}/api/v1/swagger`, { redirect: "manual" });
  expect([response.status, response.headers.get("location")]).toEqual([302, `${app.url}/api/swagger`]);
  expect((await fetch(`${app.url}/api/v1/swagger`)).headers.get("content-type")).toContain("text/html");
});

test("anybody may ask what the server is, and how many use it", async () => {
  await app.user("alice");
  const root = await app.admin("root");
  await app.organization("forge", root);
  await app.repository(root, "tree", { private: true });
  for (const title of ["one", "two"]) {
    await root.api.post("/repos/root/tree/issues", { title });
  }
  await root.api.post("/repos/root/tree/issues/1/comments", { body: "a comment" });
  await root.api.patch("/repos/root/tree/issues/1", { state: "closed" });
  await app.forge.database
    .sql`update account set last_sign_in_at = case when is_admin then now() - interval '40 days' else now() end`;
  const { status, body } = await app.anonymous.get<{ software: { version: string } }>("/nodeinfo");
  expect(status).toBe(200);
  expect(body).toEqual({
    version: "2.1",
    software: { name: "stithy", version: body.software.version, repository: "", homepage: "" },
    protocols: [],
    services: { inbound: [], outbound: [] },
    openRegistrations: false,
    usage: { users: { total: 2, activeHalfyear: 2, activeMonth: 1 }, localPosts: 2, localComments: 1 },
    metadata: {},
  } as never);
});

test("users are counted once a minute, however many ask", async () => {
  let now = 0;
  const counter = new UsageCounter(app.forge.database.db, () => now);
  const [{ total }, joined] = await Promise.all([counter.count(), counter.count()]);
  expect(joined.total).toBe(total);
  await app.user("somebody-else");
  now = 59_000;
  expect((await counter.count()).total).toBe(total);
  now = 61_000;
  expect((await counter.count()).total).toBe(total + 1);
});
