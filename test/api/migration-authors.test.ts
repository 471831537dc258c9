import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SourceAuthors } from "../../src/domain/exchange/migrations/source-authors.ts";
import { commitFile } from "../support/pulls.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";

/** Who is the author of what a migration brings, where users of the same names are on both servers. */

const loopback = { outbound: { allowed_networks: ["127.0.0.0/8", "::1"] } };
const app = await useTestApp(loopback);
const other = await TestApp.start(loopback);
afterAll(() => other[Symbol.asyncDispose]());
const admin = await app.admin("admin");
const alice = await app.user("alice");
const [carol, dora] = [await app.user("carol"), await app.user("dora")];
// Their ids differ there.
await other.admin("admin");
const there = { carol: await other.user("carol"), dora: await other.user("dora"), admin: await other.admin("boss") };

interface Written {
  user: { login: string } | null;
  original_author: string;
  original_author_id: number;
  body: string;
}

const request = {
  clone_addr: `${other.url}/carol/source.git`,
  auth_token: there.admin.token,
  service: "gitea",
  issues: true,
  pull_requests: true,
  releases: true,
};
const migrate = (fields: object, api = alice.api) =>
  api.post<{ message: string }>("/repos/migrate", { ...request, ...fields });

const shown = ({ user, original_author, original_author_id, body }: Written) => [
  user?.login,
  original_author,
  original_author_id,
  body.replace(/ on \d{4}-\d\d-\d\d\*/, "*"),
];

/** Everything that has an author, as the API shows it. */
async function writtenIn(name: string, api = alice.api) {
  const at = `/repos/${name}`;
  const all = async (path: string) => (await api.get<Written[]>(`${at}/${path}`)).body.map(shown);
  const reviews = (await api.get<{ id: number; user: { login: string }; official: boolean }[]>(`${at}/pulls/2/reviews`))
    .body;
  const lines = (await api.get<{ user: { login: string } }[]>(`${at}/pulls/2/reviews/${reviews[0]?.id}/comments`)).body;
  const releases = (await api.get<{ author: { login: string } }[]>(`${at}/releases`)).body;
  return {
    issues: await all("issues?type=issues&state=all"),
    pulls: await all("issues?type=pulls&state=all"),
    comments: await all("issues/1/comments"),
    reviews: reviews.map(({ user, official }) => [user.login, official]),
    lines: lines.map(({ user }) => user.login),
    releases: releases.map(({ author }) => author.login),
  };
}

beforeAll(async () => {
  const at = "/repos/carol/source";
  await other.repository(there.carol, "source", { auto_init: true, default_branch: "main" });
  const post = async (api: typeof alice.api, path: string, body: object) => {
    expect([path, (await api.post(`${at}${path}`, body)).status]).toEqual([
      path,
      path.endsWith("/reviews") ? 200 : 201,
    ]);
  };
  await post(there.carol.api, "/issues", { title: "One", body: "By carol" });
  await commitFile(there.carol, "carol/source", { path: "a.txt", text: "one\ntwo\n", branch: "topic", from: "main" });
  await post(there.carol.api, "/pulls", { title: "Two", body: "Also by carol", head: "topic", base: "main" });
  await post(there.dora.api, "/issues/1/comments", { body: "By dora" });
  await post(there.dora.api, "/pulls/2/reviews", {
    event: "APPROVED",
    body: "Fine",
    comments: [{ path: "a.txt", body: "This line", new_position: 2 }],
  });
  await post(there.carol.api, "/releases", { tag_name: "v1", target_commitish: "main" });
});

describe("refused", () => {
  const giving = "Only a site administrator may give texts to other users";

  test("to give texts to others, unless a site administrator asks, with a token that may", async () => {
    const weak = await app.scoped(admin, "write:repository", "write:user");
    for (const [api, fields] of [
      [alice.api, { authors: { dora: "dora" } }],
      [alice.api, { authors: { carol: "alice", dora: "DORA" } }],
      [alice.api, { authors_by_email: true }],
      [weak, { authors: { dora: "dora" } }],
      [weak, { authors_by_email: true }],
    ] as const) {
      const { status, body } = await migrate({ repo_name: "never", ...fields }, api);
      expect([status, body.message.startsWith(giving)]).toEqual([403, true]);
    }
    expect((await alice.api.get("/repos/alice/never")).status).toBe(404);
    expect((await admin.api.get("/repos/admin/never")).status).toBe(404);
  });

  test("for a user who is not here, and for too many", async () => {
    const unknown = await migrate({ repo_name: "never", authors: { dora: "nobody" } }, admin.api);
    expect([unknown.status, unknown.body.message]).toEqual([422, 'authors: there is no user "nobody" here']);
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`user-${index}`, "dora"]));
    expect((await migrate({ repo_name: "never", authors: many }, admin.api)).status).toBe(422);
    expect((await migrate({ repo_name: "never", authors: { dora: 5 } }, admin.api)).status).toBe(422);
  });
});

test("without a table everything is of whoever asked, and tells who wrote it there", async () => {
  expect((await migrate({ repo_name: "plain" })).status).toBe(201);
  expect(await writtenIn("alice/plain")).toEqual({
    issues: [["alice", "carol", there.carol.id, "*Written by carol there*\n\nBy carol"]],
    pulls: [["alice", "carol", there.carol.id, "*Written by carol there*\n\nAlso by carol"]],
    comments: [["alice", "dora", there.dora.id, "*Written by dora there*\n\nBy dora"]],
    reviews: [["alice", false]],
    lines: ["alice"],
    releases: ["alice"],
  });
});

test("whoever was somebody else there may say so of themselves", async () => {
  expect((await migrate({ repo_name: "mine", authors: { Carol: "alice" } })).status).toBe(201);
  expect(await writtenIn("alice/mine")).toMatchObject({
    issues: [["alice", "carol", there.carol.id, "By carol"]],
    comments: [["alice", "dora", there.dora.id, "*Written by dora there*\n\nBy dora"]],
  });
});

test("whoever has the same verified address there is the author here", async () => {
  expect((await migrate({ repo_name: "own" }, carol.api)).status).toBe(201);
  expect(await writtenIn("carol/own", carol.api)).toMatchObject({
    issues: [["carol", "carol", there.carol.id, "By carol"]],
    comments: [["carol", "dora", there.dora.id, "*Written by dora there*\n\nBy dora"]],
    reviews: [["carol", false]],
  });
});

test("for an administrator a table gives texts to users, and so do verified addresses", async () => {
  expect((await migrate({ repo_name: "table", authors: { dora: "alice" } }, admin.api)).status).toBe(201);
  expect(await writtenIn("admin/table", admin.api)).toEqual({
    issues: [["admin", "carol", there.carol.id, "*Written by carol there*\n\nBy carol"]],
    pulls: [["admin", "carol", there.carol.id, "*Written by carol there*\n\nAlso by carol"]],
    comments: [["alice", "dora", there.dora.id, "By dora"]],
    reviews: [["alice", false]],
    lines: ["alice"],
    releases: ["admin"],
  });
  await app.forge.database.sql`update email_address set verified = false where user_id = ${dora.id}`;
  expect((await migrate({ repo_name: "mail", authors_by_email: true }, admin.api)).status).toBe(201);
  expect(await writtenIn("admin/mail", admin.api)).toEqual({
    issues: [["carol", "carol", there.carol.id, "By carol"]],
    pulls: [["carol", "carol", there.carol.id, "Also by carol"]],
    comments: [["admin", "dora", there.dora.id, "*Written by dora there*\n\nBy dora"]],
    reviews: [["admin", false]],
    lines: ["admin"],
    releases: ["carol"],
  });
  // What was brought there from elsewhere keeps its first author.
  const again = { repo_name: "again", clone_addr: `${app.url}/admin/mail.git`, auth_token: admin.token };
  expect((await migrate(again, admin.api)).status).toBe(201);
  expect((await writtenIn("admin/again", admin.api)).issues).toEqual([
    ["admin", "carol", there.carol.id, "*Written by carol there*\n\nBy carol"],
  ]);
});

test("what a user wrote who was deleted while the migration waited is of whoever asked", async () => {
  const eve = await app.user("eve");
  const { db } = app.forge.database;
  const authors = await SourceAuthors.open(db, alice.id, { users: { dora: eve.id }, byEmail: false });
  const item = { user: { login: "dora", id: 5 } };
  await authors.learn([item]);
  expect(authors.of(item)).toMatchObject({ authorId: eve.id, isKnown: true });
  expect((await admin.api.delete("/admin/users/eve")).status).toBe(204);
  await authors.learn([item]);
  expect(authors.of(item)).toEqual({ authorId: alice.id, originalAuthor: "dora", originalAuthorId: 5, isKnown: false });
});
