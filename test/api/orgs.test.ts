import { expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { useTestApp } from "../support/test-app.ts";

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");

test("whoever makes an organization owns it", async () => {
  const sent = { username: "Forge", full_name: "The Forge", email: "forge@example.com", description: "Iron", website: "https://forge.example", location: "Here", visibility: "limited" };
  const { status, body } = await alice.api.post("/orgs", { ...sent, repo_admin_change_team_access: true });
  const { username, ...same } = sent;
  const expected = { ...same, id: "<id>", name: username, username, avatar_url: "<url>/avatars/forge", repo_admin_change_team_access: true };
  expect({ status, body: redact(body) }).toEqual({ status: 201, body: expected });
  expect((await bob.api.get<typeof body>("/orgs/forge")).body).toEqual(body);
  expect((await alice.api.post("/orgs/forge/repos", { name: "site" })).status).toBe(201);
  expect((await bob.api.post("/orgs/forge/repos", { name: "mine" })).status).toBe(403);
});

test.each([
  ["a taken name", { username: "ALICE" }],
  ["a reserved name", { username: "api" }],
  ["a name that is no name", { username: "a b" }],
  ["no name", {}],
  ["an e-mail address that is none", { username: "other", email: "nobody" }],
  ["an unknown visibility", { username: "other", visibility: "hidden" }],
])("%s is 422 and makes nothing", async (_, body) => {
  expect((await alice.api.post("/orgs", body)).status).toBe(422);
  expect((await alice.api.get("/orgs/other")).status).toBe(404);
});

test("nobody, and a token without the scope, makes none", async () => {
  expect((await app.anonymous.post("/orgs", { username: "other" })).status).toBe(401);
  const reader = await app.scoped(alice, "read:organization", "write:user");
  expect((await reader.post("/orgs", { username: "other" })).status).toBe(403);
  expect((await alice.api.get("/orgs/other")).status).toBe(404);
});
