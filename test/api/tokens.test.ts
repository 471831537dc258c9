import { expect, test } from "bun:test";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();

interface Token {
  id: number;
  name: string;
}

test("a token is deleted by its name or its id, and what could mean two tokens deletes none", async () => {
  const alice = await app.user("alice");
  const client = app.withPassword("alice");
  const make = async (name: string) =>
    (await client.post<Token>("/users/alice/tokens", { name, scopes: ["read:user"] })).body;
  const names = async () =>
    (await client.get<Token[]>("/users/alice/tokens")).body
      .map(({ name }) => name)
      .filter((name) => !name.includes("-"));
  await make("first");
  const second = await make("second");
  const confusing = await make(String(second.id));

  const { status, body } = await client.delete<{ message: string }>(`/users/alice/tokens/${second.id}`);
  expect(status).toBe(422);
  expect(body.message).toContain(`its id, ${confusing.id}`);
  expect(await names()).toEqual([confusing.name, "second", "first"]);

  for (const [token, left] of [
    [confusing.id, ["second", "first"]],
    [second.id, ["first"]],
    ["first", []],
  ] as const) {
    expect((await client.delete(`/users/alice/tokens/${token}`)).status).toBe(204);
    expect(await names()).toEqual([...left]);
  }
  expect((await client.delete("/users/alice/tokens/first")).status).toBe(404);
  expect((await alice.api.delete("/users/alice/tokens/first")).status).toBe(403);
});

test("tokens of others are neither listed nor deleted", async () => {
  const bob = await app.user("bob");
  const carol = await app.user("carol");
  const token = (await app.withPassword("bob").get<Token[]>("/users/bob/tokens")).body[0]?.id;
  expect((await app.withPassword("carol").get("/users/bob/tokens")).status).toBe(403);
  expect((await app.withPassword("carol").delete(`/users/bob/tokens/${token}`)).status).toBe(403);
  expect((await app.withPassword("carol").delete(`/users/carol/tokens/${token}`)).status).toBe(404);
  expect((await bob.api.get("/user")).status).toBe(200);
  expect((await carol.api.get("/user")).status).toBe(200);
});
