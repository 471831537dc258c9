import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
await app.repository(alice, "tree");
await app.repository(alice, "secret", {}, undefined);
await alice.api.patch("/repos/alice/secret", { private: true });
const make = async (name: string) => (await alice.api.post(`/repos/alice/${name}/issues`, { title: "x" })).status;
expect([await make("tree"), await make("secret")]).toEqual([201, 201]);
const at = "/repos/alice/tree/issues/1/subscriptions";

const hears = async (who = bob) => (await who.api.get<{ subscribed: boolean }>(`${at}/check`)).body.subscribed;
const names = async () => (await app.anonymous.get<{ login: string }[]>(at)).body.map(({ login }) => login);
const notified = async () => (await bob.api.get<{ new: number }>("/notifications/new")).body.new;

test("nobody subscribes others, but site administrators do", async () => {
  expect((await app.anonymous.put(`${at}/bob`)).status).toBe(401);
  expect((await app.anonymous.get(`${at}/check`)).status).toBe(401);
  const { status, body } = await bob.api.put<{ message: string }>(`${at}/alice`);
  expect([status, body.message]).toEqual([403, "Only site administrators subscribe others to an issue, or end that"]);
  expect((await bob.api.delete(`${at}/alice`)).status).toBe(403);
  expect(await names()).toEqual([]);
  expect((await admin.api.put(`${at}/bob`)).status).toBe(201);
  expect(await names()).toEqual(["bob"]);
  expect((await admin.api.delete(`${at}/bob`)).status).toBe(201);
});

test("of what is not there, or hidden, nothing is told", async () => {
  for (const path of [
    "/repos/alice/tree/issues/9/subscriptions",
    "/repos/alice/secret/issues/1/subscriptions",
    "/repos/alice/none/issues/1/subscriptions",
  ]) {
    expect((await bob.api.get(path)).status).toBe(404);
    expect((await bob.api.get(`${path}/check`)).status).toBe(404);
    expect((await bob.api.put(`${path}/bob`)).status).toBe(404);
    expect((await bob.api.delete(`${path}/bob`)).status).toBe(404);
  }
  expect((await admin.api.put(`${at}/nobody-at-all`)).status).toBe(404);
});

test("the author and watchers hear of an issue without a subscription", async () => {
  expect(await hears(alice)).toBe(true);
  expect((await alice.api.put(`${at}/alice`)).status).toBe(200);
  expect(await names()).toEqual(["alice"]);
});

test("whoever subscribes is told of what happens, until they end it", async () => {
  expect(await hears()).toBe(false);
  expect((await bob.api.put(`${at}/bob`)).status).toBe(201);
  expect((await bob.api.put(`${at}/bob`)).status).toBe(200);
  expect([await hears(), await names()]).toEqual([true, ["alice", "bob"]]);
  await alice.api.post("/repos/alice/tree/issues/1/comments", { body: "one" });
  expect(await notified()).toBe(1);
  expect((await bob.api.put("/notifications")).status).toBe(205);

  expect((await bob.api.delete(`${at}/bob`)).status).toBe(201);
  expect((await bob.api.delete(`${at}/bob`)).status).toBe(200);
  expect([await hears(), await names()]).toEqual([false, ["alice"]]);
  await alice.api.post("/repos/alice/tree/issues/1/comments", { body: "two" });
  expect(await notified()).toBe(0);
});
