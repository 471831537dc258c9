import { expect, test } from "bun:test";
import { standardTasks } from "../../../src/domain/server/maintenance/standard-tasks.ts";
import { until } from "../../support/until.ts";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const admin = await app.admin();
const alice = await app.user("alice");

interface Cron {
  name: string;
  exec_times: number;
  next: string;
  prev: string;
}

test.each([
  ["GET", "/admin/orgs"],
  ["GET", "/admin/cron"],
  ["POST", "/admin/cron/collect_blobs"],
  ["GET", "/admin/unadopted"],
  ["POST", "/admin/unadopted/a/b"],
  ["DELETE", "/admin/unadopted/a/b"],
])("%s %s is for site administrators with the scope", async (method, path) => {
  for (const [client, status] of [
    [app.anonymous, 401],
    [alice.api, 403],
    [await app.scoped(admin, "write:organization"), 403],
  ] as const) {
    expect((await client.request(method, path)).status).toBe(status);
  }
});

test("all organizations are listed, whoever may see them", async () => {
  await app.organization("Visible", alice);
  await app.organization("hidden", alice, { visibility: "private" });
  const { body, headers } = await admin.api.get<{ name: string }[]>("/admin/orgs?limit=50");
  expect([body.map(({ name }) => name), headers.get("x-total-count")]).toEqual([["hidden", "Visible"], "2"]);
  expect((await admin.api.get<{ name: string }[]>("/admin/orgs?limit=1&page=2")).body.map(({ name }) => name)).toEqual([
    "Visible",
  ]);
});

test("a task runs when it is asked for, and only one that there is", async () => {
  const names = (await admin.api.get<Cron[]>("/admin/cron")).body.map(({ name }) => name);
  expect(names).toEqual(standardTasks.map(({ name }) => name));
  expect(names).toContain("collect_blobs");
  expect((await admin.api.get<Cron[]>("/admin/cron?limit=1&page=2")).body.map(({ name }) => name)).toEqual([
    "collect_blobs",
  ]);
  await app.forge.database
    .sql`insert into mail_token (hash, purpose, user_id, expires_at) values ('\\x00', 'verify-email', ${alice.id}, now() - interval '1 hour')`;
  expect((await admin.api.post("/admin/cron/delete_expired")).status).toBe(204);
  const taskOf = async () =>
    (await admin.api.get<Cron[]>("/admin/cron")).body.find(({ name }) => name === "delete_expired");
  await until("it has run", async () => (await taskOf())?.exec_times === 1);
  expect((await app.forge.database.sql`select 1 from mail_token`).length).toBe(0);
  const task = await taskOf();
  expect([Date.parse(task?.prev ?? "") <= Date.now(), Date.parse(task?.next ?? "") > Date.now()]).toEqual([true, true]);
  expect((await admin.api.post("/admin/cron/nothing")).status).toBe(404);
});

test("there is nothing on the disk that the database does not know", async () => {
  const { body, headers } = await admin.api.get("/admin/unadopted?pattern=a*");
  expect([body, headers.get("x-total-count")]).toEqual([[], "0"]);
  expect((await admin.api.post("/admin/unadopted/alice/work")).status).toBe(404);
  expect((await admin.api.delete("/admin/unadopted/alice/work")).status).toBe(404);
});
