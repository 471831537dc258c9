import { expect, test } from "bun:test";
import type { FoundSubject, Target, Who } from "../../src/auth/find-subject.ts";
import { hashToken } from "../../src/auth/access-token.ts";
import { useTestApp } from "../support/test-app.ts";

/** Requests of one turn of the event loop share the query that identifies them: each is told what it would be told alone. */

const app = await useTestApp();
const { sql } = app.forge.database;
const { findSubject } = app.forge.identity;
const alice = await app.user("alice");
const bob = await app.user("bob");
const root = await app.admin("root");
await app.organization("forge", alice);
await app.repository(alice, "open", { auto_init: true });
await app.repository(alice, "secret", { private: true });
const expired = await app.token(bob, ["all"]);
await sql`update access_token set expires_at = now() - interval '1 second' where id = (select max(id) from access_token)`;
const [team] = await sql`select id from team where organization_id = (select id from owner where lower_name = 'forge')`;

const byToken = (token: string): Who => ({ tokenHash: hashToken(token) });
const whos: Who[] = [
  {},
  byToken(alice.token),
  byToken(bob.token),
  byToken(root.token),
  byToken(expired),
  byToken("0".repeat(40)),
  { userId: alice.id },
  { userId: bob.id },
  { userId: 999_999 },
];
const targets: Target[] = [
  {},
  { ownerName: "Alice" },
  { ownerName: "nobody-here" },
  { ownerName: "alice", repositoryName: "OPEN" },
  { ownerName: "alice", repositoryName: "secret" },
  { ownerName: "alice", repositoryName: "absent" },
  { repositoryId: 1 },
  { repositoryId: 2 },
  { teamId: Number(team?.["id"]) },
  { ownerName: "forge", teamName: "Owners" },
];
const asked = whos.flatMap((who) => targets.map((target) => ({ who, target })));

test("each gets what it would get alone", async () => {
  const alone: FoundSubject[] = [];
  for (const { who, target } of asked) {
    alone.push(await findSubject(who, target));
  }
  // Twice in two orders, so that nobody has the same place in the query.
  const together = await Promise.all(asked.map(({ who, target }) => findSubject(who, target)));
  const reversed = await Promise.all(asked.toReversed().map(({ who, target }) => findSubject(who, target)));
  expect(together).toEqual(alone);
  expect(reversed.toReversed()).toEqual(alone);
  const found = (part: "actor" | "repository" | "owner") => alone.filter((subject) => subject[part] !== null).length;
  expect({ actors: found("actor"), repositories: found("repository") }).toEqual({ actors: 50, repositories: 24 });
});

test("over HTTP, too, each is answered for themselves", async () => {
  const clients = { alice: alice.api, bob: bob.api, root: root.api, nobody: app.anonymous };
  const expected = { alice: 200, bob: 404, root: 200, nobody: 404 };
  const calls = Object.entries(clients).flatMap(([name, client]) =>
    Array.from({ length: 8 }, async () => ({ name, status: (await client.get("/repos/alice/secret")).status })),
  );
  for (const { name, status } of await Promise.all(calls)) {
    expect({ name, status }).toEqual({ name, status: expected[name as keyof typeof expected] });
  }
});

test("what is revoked is gone with the next request", async () => {
  const client = app.withToken(await app.token(bob, ["all"]));
  const statuses = async () =>
    (await Promise.all(Array.from({ length: 4 }, () => client.get("/user")))).map(({ status }) => status);
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await sql`delete from access_token where id = (select max(id) from access_token)`;
  expect(await statuses()).toEqual([401, 401, 401, 401]);
});

test("a name that no database can hold is the name of nothing, and harms nobody beside it", async () => {
  const names = ["a\0b", "\ud800", "alice"];
  const found = await Promise.all(names.map((ownerName) => findSubject({ userId: bob.id }, { ownerName })));
  expect(found.map(({ actor, owner }) => [actor?.name, owner?.owner.name])).toEqual([
    ["bob", undefined],
    ["bob", undefined],
    ["bob", "alice"],
  ]);
});

test("a statement that fails, fails for those who share it and for nobody else", async () => {
  const tooLarge = findSubject({ userId: alice.id }, { repositoryId: 2 ** 70 });
  const beside = findSubject({ userId: alice.id }, { repositoryId: 1 });
  const other = findSubject({ userId: alice.id }, { ownerName: "alice" });
  expect((await Promise.allSettled([tooLarge, beside, other])).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect((await findSubject({ userId: alice.id }, { repositoryId: 1 })).repository?.repository.name).toBe("open");
});
