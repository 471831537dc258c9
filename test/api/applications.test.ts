import { expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const path = "/user/applications/oauth2";
const body = { name: "CI", redirect_uris: ["https://ci.example/authorize"], confidential_client: true };

interface Application {
  id: number;
  client_id: string;
  client_secret: string;
}

test("nobody, other users and tokens without the scope come to nothing", async () => {
  const { id } = (await alice.api.post<Application>(path, body)).body;
  const bob = await app.user("bob");
  expect((await app.anonymous.get(path)).status).toBe(401);
  expect((await (await app.scoped(alice, "read:repository")).get(path)).status).toBe(403);
  expect((await (await app.scoped(alice, "read:user")).post(path, body)).status).toBe(403);
  const [hidden, missing] = [await bob.api.get(`${path}/${id}`), await bob.api.get(`${path}/999999`)];
  expect([hidden.status, missing.status]).toEqual([404, 404]);
  expect((await bob.api.patch(`${path}/${id}`, body)).status).toBe(404);
  expect((await bob.api.delete(`${path}/${id}`)).status).toBe(404);
  expect((await bob.api.get(path)).body).toEqual([]);
  expect((await alice.api.get(`${path}/${id}`)).status).toBe(200);
  await alice.api.delete(`${path}/${id}`);
});

test("a token needs what an application may be given: neither a narrower one nor one for public things makes a secret", async () => {
  const { id } = (await alice.api.post<Application>(path, body)).body;
  const secret = () => app.forge.database.sql`select name, client_secret_hash from oauth_application`;
  const before = [...(await secret())];
  for (const scopes of [["write:user"], ["write:user", "read:repository"], ["all", "public-only"]]) {
    const client = await app.scoped(alice, ...scopes);
    expect([scopes, (await client.post(path, body)).status]).toEqual([scopes, 403]);
    expect([scopes, (await client.patch(`${path}/${id}`, body)).status]).toEqual([scopes, 403]);
  }
  expect([...(await secret())]).toEqual(before);
  const enough = await app.scoped(alice, "write:user", "write:repository");
  expect((await enough.patch(`${path}/${id}`, body)).status).toBe(200);
  expect((await (await app.scoped(alice, "write:user")).delete(`${path}/${id}`)).status).toBe(204);
});

test("what cannot be registered is refused, and changes nothing", async () => {
  const { id, client_id } = (await alice.api.post<Application>(path, body)).body;
  const wrong: [status: number, body: unknown, field: string][] = [
    [400, {}, "name"],
    [400, { name: "x" }, "redirect addresses"],
    [400, { ...body, name: " " }, "name"],
    [400, { ...body, redirect_uris: [] }, "redirect addresses"],
    [422, { ...body, redirect_uris: "https://ci.example" }, "redirect_uris"],
    [400, { ...body, redirect_uris: ["javascript:alert(1)"] }, "javascript:alert(1)"],
    [400, { ...body, redirect_uris: ["/relative"] }, "/relative"],
    [400, { ...body, redirect_uris: ["https://ci.example/#fragment"] }, "#fragment"],
  ];
  for (const [status, one, named] of wrong) {
    for (const answer of [
      await alice.api.post<{ message: string }>(path, one),
      await alice.api.patch<{ message: string }>(`${path}/${id}`, one),
    ]) {
      expect(answer.status).toBe(status);
      expect(answer.body.message).toContain(named);
    }
  }
  const { body: list, headers } = await alice.api.get<Application[]>(path);
  expect([list.length, headers.get("x-total-count")]).toEqual([1, "1"]);
  expect(list[0]).toMatchObject({ ...body, client_id });
  await alice.api.delete(`${path}/${id}`);
});

test("an application is made with a secret that is shown once, changed with a new one, and deleted", async () => {
  const made = await alice.api.post<Application>(path, body);
  expect(made.status).toBe(201);
  expect(made.body.client_secret).toMatch(/^sto_[0-9a-f]{64}$/);
  const stored = await app.forge.database.sql`select * from oauth_application`;
  expect(JSON.stringify(stored)).not.toContain(made.body.client_secret);
  expect(redact((await alice.api.get(`${path}/${made.body.id}`)).body)).toEqual(
    redact({ ...made.body, client_secret: "" }),
  );
  const changed = await alice.api.patch<Application>(`${path}/${made.body.id}`, {
    name: "CD",
    redirect_uris: ["http://127.0.0.1/cb"],
    confidential_client: false,
  });
  expect(changed.body).toMatchObject({
    id: made.body.id,
    client_id: made.body.client_id,
    name: "CD",
    redirect_uris: ["http://127.0.0.1/cb"],
    confidential_client: false,
  });
  expect(changed.body.client_secret).not.toBe(made.body.client_secret);
  expect((await alice.api.delete(`${path}/${made.body.id}`)).status).toBe(204);
  expect((await alice.api.delete(`${path}/${made.body.id}`)).status).toBe(404);
});

test("a user has a hundred at most, also of many made at once", async () => {
  const carol = await app.user("carol");
  const made = await Promise.all(Array.from({ length: 108 }, () => carol.api.post(path, body)));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
  expect((await carol.api.get(path)).headers.get("x-total-count")).toBe("100");
});
