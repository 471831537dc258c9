import { expect, test } from "bun:test";
import { useTestApp } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
await app.repository(alice, "tree");
const at = "/repos/alice/tree/issues";
await alice.api.post(at, { title: "A leaf fell" });
const comment = (await bob.api.post<{ id: number }>(`${at}/1/comments`, { body: "Sad" })).body;
const { sql } = app.forge.database;

interface ReactionJson {
  content: string;
  user: { login: string };
}

const reactionsTo = async (path: string, query = "") =>
  (await app.anonymous.get<ReactionJson[]>(`${path}/reactions${query}`)).body.map(
    ({ content, user }) => `${user.login} ${content}`,
  );

for (const [what, path] of [
  ["an issue", `${at}/1`],
  ["a comment", `${at}/comments/${comment.id}`],
] as const) {
  const to = `${path}/reactions`;

  test(`nobody reacts to ${what} who may not, and not with what there is not`, async () => {
    const eve = await app.user(`eve-${what.length}`);
    await alice.api.put(`/user/block/${eve.name}`);
    expect((await app.anonymous.post(to, { content: "heart" })).status).toBe(401);
    expect((await eve.api.post(to, { content: "heart" })).status).toBe(403);
    const { status, body } = await bob.api.post<{ message: string }>(to, { content: "bored" });
    expect({ status, message: body.message }).toEqual({
      status: 422,
      message: 'content must be one of +1, -1, laugh, hooray, confused, heart, rocket, eyes, not "bored"',
    });
    expect((await bob.api.post(to, {})).status).toBe(422);
    expect((await bob.api.post(to.replace(/\d+\/reactions/, "4711/reactions"), { content: "heart" })).status).toBe(404);
    await sql`update issue set locked_at = now()`;
    expect((await bob.api.post(to, { content: "heart" })).status).toBe(403);
    expect((await bob.api.delete(to, { content: "heart" })).status).toBe(403);
    await sql`update issue set locked_at = null`;
    expect(await reactionsTo(path)).toEqual([]);
  });

  test(`somebody reacts to ${what} once, and takes that away`, async () => {
    const first = await bob.api.post<ReactionJson>(to, { content: "heart" });
    expect(first).toMatchObject({ status: 201, body: { content: "heart", user: { login: "bob" } } });
    expect(Object.keys(first.body).sort()).toEqual(["content", "created_at", "user"]);
    expect(await bob.api.post(to, { content: "heart" })).toMatchObject({ status: 200, body: first.body as object });
    expect((await bob.api.post(to, { content: "+1" })).status).toBe(201);
    expect((await alice.api.post(to, { content: "heart" })).status).toBe(201);
    expect(await reactionsTo(path)).toEqual(["bob heart", "bob +1", "alice heart"]);
    expect(await reactionsTo(path, "?limit=2&page=2")).toEqual(["alice heart"]);
    expect((await bob.api.delete(to, { content: "heart" })).status).toBe(200);
    expect((await bob.api.delete(to, { content: "heart" })).status).toBe(200);
    expect(await reactionsTo(path)).toEqual(["bob +1", "alice heart"]);
  });
}
