import { describe, expect, test } from "bun:test";
import { hearEvents } from "../support/hear-events.ts";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const admin = await app.admin();
const site = await app.repository(alice, "site");
await app.repository(alice, "other");
await alice.api.post("/user/repos", { name: "secret", private: true });
const topics = "/repos/alice/site/topics";
const reader = await app.scoped(alice, "read:repository");

const listed = async (path = topics, client = alice.api) => (await client.get<{ topics: string[] }>(path)).body.topics;
interface Found {
  topics: { topic_name: string; repo_count: number }[];
}
const found = async (query: string, client = app.anonymous) => {
  const { body, headers } = await client.get<Found>(`/topics/search${query}`);
  return [body.topics.map(({ topic_name, repo_count }) => [topic_name, repo_count]), headers.get("x-total-count")];
};

describe("topics of a repository", () => {
  test("are changed by its administrators only, and hidden with it", async () => {
    await alice.api.put("/repos/alice/site/collaborators/bob", { permission: "write" });
    for (const [method, path, body] of [
      ["PUT", topics, { topics: ["x"] }],
      ["PUT", `${topics}/x`, undefined],
      ["DELETE", `${topics}/x`, undefined],
    ] as const) {
      const sent = body === undefined ? {} : { body };
      expect((await app.anonymous.request(method, path, sent)).status).toBe(401);
      expect((await bob.api.request(method, path, sent)).status).toBe(403);
      expect((await reader.request(method, path, sent)).status).toBe(403);
      expect((await bob.api.request(method, path.replace("site", "secret"), sent)).status).toBe(404);
    }
    expect((await bob.api.get("/repos/alice/secret/topics")).status).toBe(404);
    expect(await listed()).toEqual([]);
  });

  test("are replaced, stored in lower case and each once, and stand in the repository", async () => {
    // Times are answered in whole seconds.
    await app.forge.database
      .sql`update repository set updated_at = updated_at - interval '1 minute' where id = ${site.id}`;
    const { updated_at: before } = (await alice.api.get<{ updated_at: string }>("/repos/alice/site")).body;
    expect(await alice.api.put(topics, { topics: ["Forge", " git ", "forge", "c-3.0"] })).toMatchObject({
      status: 204,
      body: null,
    });
    expect(await listed()).toEqual(["forge", "git", "c-3.0"]);
    const { body } = await app.anonymous.get<{ topics: string[]; updated_at: string }>("/repos/alice/site");
    expect(body.topics).toEqual(["forge", "git", "c-3.0"]);
    expect(body.updated_at > before).toBe(true);
    expect((await alice.api.put(topics, { topics: null })).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  test("are added and taken one by one; what is there already changes nothing", async () => {
    const heard = hearEvents();
    expect(await alice.api.put(`${topics}/Web`)).toMatchObject({ status: 204, body: null });
    expect((await alice.api.put(`${topics}/web`)).status).toBe(204);
    expect(await listed()).toEqual(["web"]);
    expect(heard).toEqual([expect.objectContaining({ kind: "repository.edited", changed: ["topics"] })]);
    expect(await alice.api.delete(`${topics}/web`)).toMatchObject({ status: 204, body: null });
    expect(await listed()).toEqual([]);
    expect(await alice.api.delete(`${topics}/web`)).toMatchObject({
      status: 404,
      body: { message: 'There is no topic "web"' },
    });
    expect(heard.length).toBe(2);
  });

  test.each(["-x", ".x", "ä", "a b", "x".repeat(36), "a_b", "a\nb"])("a topic is not named %j", async (name) => {
    const encoded = encodeURIComponent(name);
    for (const method of ["PUT", "DELETE"] as const) {
      expect((await alice.api.request(method, `${topics}/${encoded}`)).status).toBe(422);
    }
    expect((await alice.api.put(topics, { topics: ["fine", name] })).status).toBe(422);
    expect(await listed()).toEqual([]);
  });

  test("a bad name is told, cut to 80 characters; a list of something else is refused", async () => {
    const { body } = await alice.api.put<{ message: string }>(topics, { topics: ["y".repeat(500)] });
    expect(body.message).toContain("at most 35 letters");
    expect(body.message).not.toContain("y".repeat(81));
    expect((await alice.api.put(topics, { topics: "forge" })).status).toBe(422);
    expect((await alice.api.put(topics, { topics: [7] })).status).toBe(422);
  });

  test("are 25 at most", async () => {
    const many = Array.from({ length: 26 }, (_, number) => `topic-${number}`);
    expect(await alice.api.put(topics, { topics: many })).toMatchObject({
      status: 422,
      body: { message: "A repository has at most 25 topics, not 26" },
    });
    expect((await alice.api.put(topics, { topics: [...many.slice(1), "topic-1"] })).status).toBe(204);
    expect((await alice.api.put(`${topics}/one-more`)).status).toBe(422);
    expect((await alice.api.put(`${topics}/topic-1`)).status).toBe(204);
    const page = await app.anonymous.get<{ topics: string[] }>(`${topics}?limit=10&page=3`);
    expect(page.body.topics).toEqual(many.slice(21));
    expect(page.headers.get("x-total-count")).toBe("25");
    expect(page.headers.get("link")).toContain('rel="prev"');
    await alice.api.put(topics, { topics: [] });
  });
});

describe("the search for topics", () => {
  test("counts what the caller may know of, and leaves out topics of which they may know of none", async () => {
    await alice.api.put(topics, { topics: ["forge", "git"] });
    await alice.api.put("/repos/alice/other/topics", { topics: ["git"] });
    await alice.api.put("/repos/alice/secret/topics", { topics: ["git", "plans"] });
    expect(await found("?q=")).toEqual([
      [
        ["git", 2],
        ["forge", 1],
      ],
      "2",
    ]);
    expect(await found("?q=git", bob.api)).toEqual([[["git", 2]], "1"]);
    expect(await found("?q=plans", bob.api)).toEqual([[], "0"]);
    const all = [
      ["git", 3],
      ["forge", 1],
      ["plans", 1],
    ];
    expect(await found("", alice.api)).toEqual([all, "3"]);
    expect(await found("", admin.api)).toEqual([all, "3"]);
    expect(await found("", await app.scoped(alice, "read:repository", "public-only"))).toEqual([
      [
        ["git", 2],
        ["forge", 1],
      ],
      "2",
    ]);
  });

  test("finds parts of names in any case, takes no patterns, and is paged", async () => {
    expect(await found("?q=OR")).toEqual([[["forge", 1]], "1"]);
    expect(await found("?q=%25")).toEqual([[], "0"]);
    expect(await found("?q=g_t")).toEqual([[], "0"]);
    expect(await found("?limit=1&page=2")).toEqual([[["forge", 1]], "2"]);
    expect(await found("?limit=1&page=3")).toEqual([[], "2"]);
    expect((await app.anonymous.get(`/topics/search?q=${"x".repeat(256)}`)).status).toBe(422);
    expect(redact((await app.anonymous.get("/topics/search?q=forge")).body)).toEqual({
      topics: [{ id: "<id>", topic_name: "forge", repo_count: 1, created: "<time>", updated: "<time>" }],
    });
  });

  test("follows repositories that are hidden, shared, renamed and deleted", async () => {
    await alice.api.patch("/repos/alice/other", { private: true });
    expect(await found("?q=git")).toEqual([[["git", 1]], "1"]);
    await alice.api.put("/repos/alice/secret/collaborators/bob", { permission: "read" });
    expect(await found("?q=git", bob.api)).toEqual([[["git", 2]], "1"]);
    expect(await found("?q=plans", bob.api)).toEqual([[["plans", 1]], "1"]);
    await alice.api.patch("/repos/alice/site", { archived: true });
    expect((await alice.api.put(`${topics}/late`)).status).toBe(423);
    expect(await found("?q=git")).toEqual([[["git", 1]], "1"]);
    await alice.api.delete("/repos/alice/secret");
    expect(await found("?q=plans", admin.api)).toEqual([[], "0"]);
    await alice.api.delete("/repos/alice/site");
    expect(await found("")).toEqual([[], "0"]);
    expect(await found("", alice.api)).toEqual([[["git", 1]], "1"]);
  });
});
