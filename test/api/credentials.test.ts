import { describe, expect, test } from "bun:test";
import { redact } from "../support/redact.ts";
import { TestApp, useTestApp } from "../support/test-app.ts";

const app = await useTestApp({ auth: { failed_sign_ins_per_minute: 1000 } });
const alice = await app.user("Alice");
const bob = await app.user("bob");
const admin = await app.admin();

interface User {
  login: string;
}
interface Failure {
  message: string;
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const whoIs = async (authorization: string) => {
  const { status, body } = await app.anonymous.get<User>("/user", { authorization });
  return status === 200 ? body.login : status;
};

describe("a credential may come as", () => {
  test.each([
    ["token", () => `token ${alice.token}`],
    ["Bearer", () => `Bearer ${alice.token}`],
    ["bearer, in any case", () => `bEARER ${alice.token}`],
    ["Basic with a password", () => basic("alice", "correct horse battery staple")],
    ["Basic with the e-mail address", () => basic("alice@example.com", "correct horse battery staple")],
    ["Basic with a token as the password", () => basic("alice", alice.token)],
    ["Basic with a token as the user", () => basic(alice.token, "")],
    ["Basic with a token as the user, as CI servers do", () => basic(alice.token, "x-oauth-basic")],
  ])("%s", async (_, authorization) => {
    expect(await whoIs(authorization())).toBe("Alice");
  });
});

describe("what is not valid is 401, also where anybody may look", () => {
  test.each([
    ["a wrong password", () => basic("alice", "wrong")],
    ["nobody's name", () => basic("nobody", "correct horse battery staple")],
    ["an unknown token", () => `token sty_${"0".repeat(40)}`],
    ["an empty token", () => "token "],
    ["another scheme", () => "Digest username=alice"],
    ["Basic without a colon", () => `Basic ${Buffer.from("alice").toString("base64")}`],
    ["no scheme", () => alice.token],
    ["an empty Basic", () => basic("", "")],
  ])("%s", async (_, authorization) => {
    for (const path of ["/user", "/version"]) {
      const { status, headers, body } = await app.anonymous.get(path, { authorization: authorization() });
      expect({ status, body: redact(body) }).toEqual({
        status: 401,
        body: { message: "The user name, password or token is not valid", url: "<url>/api/swagger" },
      });
      expect(headers.get("www-authenticate")).toContain("Bearer");
    }
  });
});

test("nothing at all is 401 with the words that clients look for", async () => {
  const { status, body } = await app.anonymous.get<Failure>("/user");
  expect(status).toBe(401);
  expect(body.message).toContain("token is required");
});

test("an expired or deleted token, and that of a suspended user, stop at once", async () => {
  const { sql } = app.forge.database;
  const carol = await app.user("carol");
  const expired = await app.token(carol, ["all"]);
  await sql`update access_token set expires_at = now() - interval '1 second' where last_eight = ${expired.slice(-8)}`;
  expect(await whoIs(`token ${expired}`)).toBe(401);
  expect(await whoIs(`token ${carol.token}`)).toBe("carol");
  await sql`update account set suspended = true where owner_id = ${carol.id}`;
  expect(await whoIs(`token ${carol.token}`)).toBe(401);
  expect(await whoIs(basic("carol", "correct horse battery staple"))).toBe(401);
});

test("tokens in the address count only where the setting says so", async () => {
  expect((await app.anonymous.get(`/user?token=${alice.token}`)).status).toBe(401);
  await using other = await TestApp.start({ api: { token_in_query: true } });
  const dave = await other.user("dave");
  for (const name of ["token", "access_token"]) {
    expect((await other.anonymous.get<User>(`/user?${name}=${dave.token}`)).body.login).toBe("dave");
  }
});

test("wrong tokens are not counted, and tokens do not wait where passwords have to", async () => {
  await using other = await TestApp.start({ auth: { failed_sign_ins_per_minute: 3 } });
  const erin = await other.user("erin");
  const wrong = `sty_${"0".repeat(40)}`;
  for (let attempt = 0; attempt < 5; attempt++) {
    for (const client of [
      other.withToken(wrong),
      other.withToken("no token at all"),
      other.withPassword("erin", wrong),
      other.withPassword(wrong, ""),
      other.withPassword(wrong, "x-oauth-basic"),
    ]) {
      expect((await client.get("/user")).status).toBe(401);
    }
  }
  expect((await erin.api.get("/user")).status).toBe(200);
  expect((await other.withPassword("erin").get("/user")).status).toBe(200);
  // A password that begins like none of ours, and is none of erin's, is a guess.
  for (let attempt = 0; attempt < 3; attempt++) {
    expect((await other.withPassword("erin", `guess ${attempt}`).get("/user")).status).toBe(401);
  }
  expect((await other.withPassword("erin").get("/user")).status).toBe(429);
  expect((await erin.api.get("/user")).status).toBe(200);
  expect((await other.withPassword("erin", erin.token).get("/user")).status).toBe(200);
  expect((await other.withToken(wrong).get("/user")).status).toBe(401);
});

test("an address that sends too many wrong passwords waits with every password, a right one included", async () => {
  await using other = await TestApp.start({ auth: { failed_sign_ins_per_minute: 3 } });
  const erin = await other.user("erin");
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 4; attempt++) {
    statuses.push((await other.withPassword("erin", "guess").get("/user")).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429]);
  const { status, headers } = await other.withPassword(erin.name).get("/user");
  expect(status).toBe(429);
  expect(Number(headers.get("retry-after"))).toBeWithin(1, 61);
  expect((await other.anonymous.get("/version")).status).toBe(200);
});

test("guesses that are sent at once are not more guesses", async () => {
  await using other = await TestApp.start({ auth: { failed_sign_ins_per_minute: 3 } });
  await other.user("erin");
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => other.withPassword("erin", `guess ${index}`).get("/user")),
  );
  const statuses = guesses.map(({ status }) => status);
  // Two are worked on at a time: one more may have begun when the third was found wrong.
  expect(statuses.filter((status) => status === 401).length).toBeWithin(3, 6);
  expect(statuses.filter((status) => status === 429).length).toBe(
    40 - statuses.filter((status) => status === 401).length,
  );
});

describe("Sudo", () => {
  test("lets site administrators act as somebody else, by header or in the address", async () => {
    expect((await admin.api.get<User>("/user", { sudo: "bob" })).body.login).toBe("bob");
    expect((await admin.api.get<User>("/user?sudo=alice")).body.login).toBe("Alice");
    const { body } = await admin.api.with({ sudo: "bob" }).post<{ owner: User }>("/user/repos", { name: "made" });
    expect(body.owner.login).toBe("bob");
  });

  test("takes the administrator's own rights away meanwhile", async () => {
    await app.repository(alice, "private", { private: true });
    expect((await admin.api.get("/repos/alice/private", { sudo: "bob" })).status).toBe(404);
  });

  test("by a token needs the scope admin at the level of the method, whatever else the operation needs", async () => {
    for (const [scopes, read, write] of [
      [["write:user"], 403, 403],
      [["write:user", "write:repository", "write:organization", "write:issue", "write:misc"], 403, 403],
      [["write:user", "read:admin"], 200, 403],
      [["write:user", "write:admin"], 200, 200],
      [["all"], 200, 200],
      [["write:admin"], 403, 403],
    ] as const) {
      const client = (await app.scoped(admin, ...scopes)).with({ sudo: "bob" });
      const statuses = [(await client.get("/user")).status, (await client.patch("/user/settings", {})).status];
      expect([scopes, ...statuses]).toEqual([scopes, read, write]);
    }
    const { body } = await (await app.scoped(admin, "write:user")).get<Failure>("/user", { sudo: "bob" });
    expect(body.message).toContain("read:admin");
    expect((await app.withPassword("admin").get<User>("/user", { sudo: "bob" })).body.login).toBe("bob");
  });

  test("is forbidden to others, and an unknown user is 404", async () => {
    expect((await bob.api.get("/user", { sudo: "alice" })).status).toBe(403);
    expect((await app.anonymous.get("/version", { sudo: "alice" })).status).toBe(403);
    expect((await admin.api.get("/user", { sudo: "nobody" })).status).toBe(404);
  });
});
