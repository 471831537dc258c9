import { expect, test } from "bun:test";
import { redact } from "../../support/redact.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const carol = await app.user("carol");
await app.repository(alice, "tree", { private: true });
for (const { name } of [bob, carol]) {
  await alice.api.put(`/repos/alice/tree/collaborators/${name}`, { permission: "read" });
}
const at = "/repos/alice/tree/issues";
await bob.api.post(at, { title: "Of bob" });
const comment = (await bob.api.post<{ id: number }>(`${at}/1/comments`, { body: "Of bob" })).body;
const { sql } = app.forge.database;

interface AttachmentJson {
  id: number;
  uuid: string;
  name: string;
  browser_download_url: string;
}

const send = (user: TestUser | null, path: string, content: string, query = "?name=leaf.txt") =>
  fetch(`${app.url}/api/v1${path}/assets${query}`, {
    method: "POST",
    body: content,
    headers: {
      "content-type": "application/octet-stream",
      ...(user === null ? {} : { authorization: `token ${user.token}` }),
    },
  });
const load = (user: TestUser, url: string) => fetch(url, { headers: { authorization: `token ${user.token}` } });
const bytes = async () =>
  Number(
    (
      await sql`select coalesce(sum(bytes), 0) as sum from blob_reference where kind = 'issue-attachment' and owner_id = ${alice.id}`
    )[0]?.["sum"],
  );

for (const [what, path, shown] of [
  ["an issue", `${at}/1`, `${at}/1`],
  ["a comment", `${at}/comments/${comment.id}`, `${at}/comments/${comment.id}`],
] as const) {
  test(`files are attached to ${what} by its author and by writers alone`, async () => {
    const eve = await app.user(`eve${what.length}`);
    expect((await send(null, path, "x")).status).toBe(401);
    expect((await send(eve, path, "x")).status).toBe(404);
    expect((await send(carol, path, "x")).status).toBe(403);
    expect((await send(bob, path.replace(/\d+$/, "4711"), "x")).status).toBe(404);
    expect((await send(bob, path, "x", "")).status).toBe(400);
    expect((await send(bob, path, "x", "?name=x&updated_at=2001-01-01T00:00:00Z")).status).toBe(403);
    expect((await send(bob, path, "x", "?name=x&updated_at=once")).status).toBe(422);
    expect((await alice.api.get(`${path}/assets`)).body).toEqual([]);
    expect(await bytes()).toBe(0);
  });

  test(`files of ${what} are sent, shown, fetched, renamed and deleted`, async () => {
    const answer = await send(bob, path, "red");
    const body = (await answer.json()) as AttachmentJson;
    expect(answer.status).toBe(201);
    expect({ ...(redact(body) as object), uuid: "" } as unknown).toEqual({
      browser_download_url: `<url>/api/v1${path}/assets/${body.id}/content`,
      created_at: "<time>",
      download_count: 0,
      id: "<id>",
      name: "leaf.txt",
      size: 3,
      type: "attachment",
      uuid: "",
    });
    expect((await alice.api.get<{ assets: unknown[] }>(shown)).body.assets).toEqual([body]);
    expect((await alice.api.get(`${path}/assets`)).body).toEqual([body]);
    expect((await alice.api.get(`${path}/assets/${body.id}`)).body).toEqual(body);
    expect(await bytes()).toBe(3);
    expect(await (await load(carol, body.browser_download_url)).text()).toBe("red");
    const byUuid = `${app.url}/attachments/${body.uuid}`;
    expect(await (await load(carol, byUuid)).text()).toBe("red");
    expect((await fetch(byUuid)).status).toBe(404);
    expect((await fetch(body.browser_download_url)).status).toBe(404);
    const one = `${path}/assets/${body.id}`;
    expect((await carol.api.patch(one, { name: "no" })).status).toBe(403);
    expect(await alice.api.patch(one, { name: "b.txt" })).toMatchObject({ status: 201, body: { name: "b.txt" } });
    expect((await bob.api.patch(one, { browser_download_url: "https://x.example/" })).status).toBe(400);
    expect((await bob.api.patch(one, { name: "a/b" })).status).toBe(400);
    const dated = await send(alice, path, "x", "?name=x&updated_at=2001-01-01T00:00:00Z");
    expect(await dated.json()).toMatchObject({ created_at: "2001-01-01T00:00:00Z" });
    expect((await carol.api.delete(one)).status).toBe(403);
    expect((await bob.api.delete(one)).status).toBe(204);
    expect((await bob.api.delete(one)).status).toBe(404);
    await sql`delete from attachment where name = 'x'`;
    expect(await bytes()).toBe(0);
  });
}

test("a file of a comment is none of its issue, and goes with the comment", async () => {
  const { id } = (await bob.api.post<{ id: number }>(`${at}/1/comments`, { body: "more" })).body;
  const file = (await (await send(bob, `${at}/comments/${id}`, "green")).json()) as AttachmentJson;
  expect((await bob.api.get(`${at}/1/assets`)).body).toEqual([]);
  expect((await bob.api.get(`${at}/1/assets/${file.id}`)).status).toBe(404);
  expect((await bob.api.get<{ assets: unknown[] }[]>(`${at}/1/comments`)).body.at(-1)?.assets).toEqual([file]);
  expect(await bytes()).toBe(5);
  expect((await bob.api.delete(`${at}/comments/${id}`)).status).toBe(204);
  expect(await bytes()).toBe(0);
});
