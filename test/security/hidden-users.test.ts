import { expect, test } from "bun:test";
import type { ApiClient } from "../support/client.ts";
import { useTestApp } from "../support/test-app.ts";

/** Users who show themselves to nobody, where others have their traces. */

const app = await useTestApp();
const admin = await app.admin();
const alice = await app.user("alice");
const shy = await app.user("shy");
await app.repository(alice, "site", { auto_init: true });
await alice.api.put("/repos/alice/site/collaborators/shy", { permission: "write" });
await shy.api.post("/repos/alice/site/contents/by-shy.txt", { content: "eA==", message: "By shy" });
await app.forge.database.sql`update owner set visibility = 'private' where id = ${shy.id}`;

type Authored = { author: { login: string } | null; committer: { login: string } | null };

test("nobody asks whether they exist by making up a commit of theirs", async () => {
  const { hostname } = new URL(app.url);
  for (const [index, email] of ["shy@example.com", `shy@noreply.${hostname}`].entries()) {
    const author = { name: "Whoever", email };
    await alice.api.post(`/repos/alice/site/contents/${index}.txt`, {
      content: "eA==",
      message: "Made up",
      author,
      committer: author,
    });
    for (const [client, known] of [
      [app.anonymous, null],
      [alice.api, null],
      [shy.api, "shy"],
      [admin.api, "shy"],
    ] as const) {
      const { body } = await client.get<Authored[]>("/repos/alice/site/commits?limit=1");
      expect(body.map((commit) => [commit.author?.login ?? null, commit.committer?.login ?? null])).toEqual([
        [known, known],
      ]);
    }
  }
});

test("what they did is told to nobody else", async () => {
  const doers = async (client: ApiClient) =>
    new Set(
      (await client.get<{ act_user: { login: string } }[]>("/repos/alice/site/activities/feeds")).body.map(
        (deed) => deed.act_user.login,
      ),
    );
  expect(await doers(app.anonymous)).toEqual(new Set(["alice"]));
  expect(await doers(alice.api)).toEqual(new Set(["alice"]));
  expect(await doers(shy.api)).toEqual(new Set(["alice", "shy"]));
  expect(await doers(admin.api)).toEqual(new Set(["alice", "shy"]));
});

test("they lose the access that they were given before like anybody", async () => {
  expect(
    (await alice.api.get<{ login: string }[]>("/repos/alice/site/collaborators")).body.map(({ login }) => login),
  ).toEqual(["shy"]);
  expect((await alice.api.delete("/repos/alice/site/collaborators/shy")).status).toBe(204);
  const [hidden, absent] = [
    await alice.api.delete<{ message: string }>("/repos/alice/site/collaborators/shy"),
    await alice.api.delete<{ message: string }>("/repos/alice/site/collaborators/who"),
  ];
  expect([hidden.status, hidden.body.message.replace("shy", "who")]).toEqual([absent.status, absent.body.message]);
});
